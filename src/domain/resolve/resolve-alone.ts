import { API_VERSION } from '../../api/names.ts';
import type { PackageSpec } from '../../api/package.ts';
import type { PackageSource } from '../../api/package-source.ts';
import { parsePackage } from '../../api/parse.ts';
import { type Resolution, unresolvable } from './desired.ts';
import { resolvePackage } from './resolve-package.ts';

export interface Wanted {
  readonly variant?: string | undefined;
  readonly components?: PackageSpec['components'];
  /** Of packages that name none. */
  readonly defaultBackend: string;
}

/** What a source comes to where nobody has written a Package yet. */
export function resolveAlone(source: PackageSource, { variant, components = {}, defaultBackend }: Wanted): Resolution {
  const { name } = source.metadata;
  const spec = { variant, components };
  const pkg = parsePackage({ apiVersion: API_VERSION, kind: 'Package', metadata: { name }, spec });
  if (!pkg.ok) return unresolvable('InvalidConfiguration', pkg.error.message);
  return resolvePackage(pkg.value, source, { defaultBackend });
}
