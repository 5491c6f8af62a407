import type { KubeObject, ObjectMeta } from '../../src/api/kube.ts';
import { ANNOTATION, API_VERSION, LABEL } from '../../src/api/names.ts';
import type { PackageSpec } from '../../src/api/package.ts';
import type { PackageRevision, PackageRevisionStatus } from '../../src/api/package-revision.ts';
import type { PackageSource, Requirement } from '../../src/api/package-source.ts';
import type { CliWorld } from '../fakes/cli-world.ts';
import { aPackage, aRevision } from './objects.ts';
import { type Ready, report, shopSource, WELL } from './shop-world.ts';

export interface Installed {
  readonly spec?: Partial<PackageSpec>;
  readonly metadata?: Partial<ObjectMeta>;
  readonly ready?: Ready;
  readonly requires?: readonly Requirement[];
  readonly source?: Partial<PackageSource['spec']>;
}

/** A package that is there, with its source and what the operator says of it. */
export function install(world: CliWorld, name: string, parts: Installed = {}): void {
  const { spec = {}, metadata = {}, ready = WELL, requires = [], source = {} } = parts;
  const variants = [{ name: 'default', components: [], requires: [...requires] }];
  world.cluster.set(shopSource({ variants, ...source }, name));
  const pkg = aPackage(spec, { name, uid: `uid-${name}`, ...metadata });
  world.cluster.set(pkg as unknown as KubeObject);
  report(world, { name, ready, version: '1.0.0', revision: 1 });
}

export interface Revised {
  readonly name?: string;
  readonly version?: string;
  readonly status?: PackageRevisionStatus;
  readonly spec?: Partial<PackageRevision['spec']>;
  readonly annotations?: Readonly<Record<string, string>>;
}

export const APPLIED: PackageRevisionStatus = {
  phase: 'Applied',
  appliedAt: '2030-01-01T00:00:00Z',
  components: [{ name: 'store', state: 'Ready', attempt: 1 }],
};

/** A revision of a package, applied unless it is told otherwise. */
export function revise(world: CliWorld, number: number, parts: Revised = {}): void {
  const { name = 'shop', version = `1.${String(number - 1)}.0`, status = APPLIED, spec = {}, annotations } = parts;
  const { apiVersion, kind, metadata, spec: base } = aRevision({ number, version });
  world.cluster.set({
    apiVersion,
    kind,
    metadata: {
      ...metadata,
      name: `${name}-${String(number)}`,
      labels: { [LABEL.package]: name },
      annotations: { [ANNOTATION.desiredDigest]: 'desired', ...annotations },
    },
    spec: { ...base, package: name, ...spec },
    status,
  });
}

export function packageRef(name: string): { apiVersion: string; kind: string; name: string } {
  return { apiVersion: API_VERSION, kind: 'Package', name };
}
