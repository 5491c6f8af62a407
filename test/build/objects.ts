import { API_VERSION, FINALIZER } from '../../src/api/names.ts';
import type { Package, PackageSpec } from '../../src/api/package.ts';
import type { PackageRevision, PackageRevisionStatus, RevisionComponent } from '../../src/api/package-revision.ts';
import type { PackageSource, SourceComponent } from '../../src/api/package-source.ts';
import { parsePackage, parsePackageSource } from '../../src/api/parse.ts';

/** A package that kubepkg has taken up. */
export function aPackage(spec: Partial<PackageSpec> = {}, metadata: Partial<Package['metadata']> = {}): Package {
  const parsed = parsePackage({
    apiVersion: API_VERSION,
    kind: 'Package',
    metadata: {
      name: 'shop',
      uid: 'uid-shop',
      generation: 1,
      resourceVersion: '1',
      finalizers: [FINALIZER],
      ...metadata,
    },
    spec,
  });
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

export function aSource(
  components: readonly SourceComponent[],
  spec: Partial<PackageSource['spec']> = {},
): PackageSource {
  const parsed = parsePackageSource({
    apiVersion: API_VERSION,
    kind: 'PackageSource',
    metadata: { name: 'shop' },
    spec: {
      version: '1.0.0',
      sourceRef: { kind: 'OCIArtifact', url: 'oci://registry.example.org/shop:1.0.0' },
      variants: [{ name: 'default', components }],
      ...spec,
    },
  });
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

/** A component of a source, at a path of its own name. */
export function aComponent(
  name: string,
  install: SourceComponent['install'] = {},
  rest: Partial<SourceComponent> = {},
): SourceComponent {
  return { name, path: name, install: { namespace: 'shop', ...install }, ...rest };
}

export function aRevisionComponent(name: string, rest: Partial<RevisionComponent> = {}): RevisionComponent {
  return {
    name,
    releaseName: name,
    namespace: 'shop',
    dependsOn: [],
    chartDigest: `sha256:${name}`,
    valuesDigest: 'sha256:values',
    digest: `digest-${name}`,
    ...rest,
  };
}

export interface RevisionParts {
  readonly number?: number;
  readonly version?: string;
  readonly digest?: string;
  readonly components?: readonly RevisionComponent[];
  readonly status?: PackageRevisionStatus;
}

export function aRevision({
  number = 1,
  version = '1.0.0',
  digest = 'desired',
  components,
  status,
}: RevisionParts = {}): PackageRevision {
  const name = `shop-${String(number)}`;
  return {
    apiVersion: API_VERSION,
    kind: 'PackageRevision',
    metadata: {
      name,
      uid: `uid-${name}`,
      finalizers: [FINALIZER],
      annotations: { 'kubepkg.dev/desired-digest': digest },
    },
    spec: {
      package: 'shop',
      revision: number,
      version,
      variant: 'default',
      components: [
        ...(components ?? [aRevisionComponent('store'), aRevisionComponent('app', { dependsOn: ['store'] })]),
      ],
    },
    ...(status === undefined ? {} : { status }),
  };
}
