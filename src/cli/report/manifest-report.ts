import type { ComponentManifest } from '../look/manifests.ts';
import type { Member } from '../look/package-scope.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatTable, formatWrappedTable } from '../text/table.ts';

export function manifestTable(manifests: readonly ComponentManifest[]): readonly string[] {
  const rows = manifests.flatMap(({ component, documents }) =>
    documents.map(({ ref: { kind, apiVersion, name, namespace = '-' } }) => [
      component,
      kind,
      apiVersion,
      namespace,
      name,
    ]),
  );
  return formatTable(['COMPONENT', 'KIND', 'APIVERSION', 'NAMESPACE', 'NAME'], rows);
}

export interface ChartFacts {
  readonly component: string;
  /** Where it is from: `oci://registry.example.org/charts/web 1.0.0`. */
  readonly reference: string;
  readonly digest: string;
  /** Of the package tree that it is in. */
  readonly treeDigest?: string;
}

export function chartFacts({ component }: Member): ChartFacts {
  const { chart } = component;
  return {
    component: component.name,
    reference: referenceOf(chart),
    digest: component.chartDigest,
    ...(chart?.treeDigest === undefined ? {} : { treeDigest: chart.treeDigest }),
  };
}

function referenceOf(chart: Member['component']['chart']): string {
  if (chart === undefined) return 'not recorded';
  switch (chart.kind) {
    case 'chart':
      return oneLine(`${chart.repository ?? ''}/${chart.name ?? ''} ${chart.version ?? ''}`);
    case 'tree':
      return oneLine(`${chart.url ?? ''} ${[chart.root, chart.path].filter((part) => part !== undefined).join('/')}`);
    case 'release':
      return `release record ${String(chart.record ?? '')} ${oneLine(`${chart.name ?? ''} ${chart.version ?? ''}`)}`.trim();
  }
}

export function chartTable(
  charts: readonly ChartFacts[],
  { columns = Infinity }: { readonly columns?: number },
): readonly string[] {
  const rows = charts.map(({ component, reference, digest }) => [component, reference, digest === '' ? '-' : digest]);
  return formatWrappedTable(['COMPONENT', 'CHART', 'DIGEST'], rows, columns);
}
