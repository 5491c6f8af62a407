import { parsePackage, parsePackageSource } from '../../src/api/parse.ts';
import type { Package } from '../../src/api/package.ts';
import type { PackageSource } from '../../src/api/package-source.ts';

/** A PackageSource with one variant, as a file holds it; in a tree, where one is named. */
export function sourceOf(name: string, components: readonly unknown[], tree?: string): PackageSource {
  const spec = {
    version: '1.0.0',
    ...(tree === undefined ? {} : { sourceRef: { kind: 'OCIArtifact', url: tree } }),
    variants: [{ name: 'default', components }],
  };
  const parsed = parsePackageSource({ apiVersion: 'kubepkg.dev/v1', kind: 'PackageSource', metadata: { name }, spec });
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}

/** A Package, with what differs from the source by component. */
export function packageOf(name: string, components: Readonly<Record<string, unknown>> = {}): Package {
  const parsed = parsePackage({
    apiVersion: 'kubepkg.dev/v1',
    kind: 'Package',
    metadata: { name },
    spec: { components },
  });
  if (!parsed.ok) throw parsed.error;
  return parsed.value;
}
