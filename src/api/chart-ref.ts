/** Names a chart as published on its own. */
export interface PublishedChartRef {
  readonly kind: 'chart';
  /** `oci://…`, `https://…` or `http://…`. */
  readonly repository: string;
  readonly name: string;
  /** Exact version. */
  readonly version: string;
  /** `sha256:…` of the chart archive. */
  readonly digest?: string | undefined;
}

/** Names a chart folder in a package tree (an OCI artifact). */
export interface TreeChartRef {
  readonly kind: 'tree';
  /** `oci://host/repository[:tag][@sha256:…]`, or without the scheme. */
  readonly url: string;
  /** Folder of all charts inside the tree, `sourceRef.path`; default the root. */
  readonly root: string;
  readonly path: string;
  readonly libraries: readonly { readonly name: string; readonly path: string }[];
  /** The first replaces values.yaml, the others are merged over it. */
  readonly valuesFiles: readonly string[];
  /** `sha256:…` of the tree's manifest, once known. */
  readonly treeDigest?: string | undefined;
  /** `sha256:…` of the chart built from the tree, once known: verified on every later use. */
  readonly digest?: string | undefined;
}

export type ChartRef = PublishedChartRef | TreeChartRef;
