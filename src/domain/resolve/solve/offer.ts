import { type PackageSource, UNVERSIONED } from '../../../api/package-source.ts';
import type { OfferedVersion } from './request.ts';

/** What a PackageSource offers. */
export function offerOf({ metadata, spec }: PackageSource): OfferedVersion {
  const { version = UNVERSIONED, build, provides = [], conflicts = [], variants = [] } = spec;
  return {
    name: metadata.name,
    version,
    build,
    provides,
    conflicts,
    variants: variants.map(({ name, dependsOn = [], requires = [] }) => ({
      name,
      requires: [...dependsOn.map((one) => ({ package: one })), ...requires],
    })),
  };
}
