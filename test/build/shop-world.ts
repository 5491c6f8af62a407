import type { Condition, KubeObject } from '../../src/api/kube.ts';
import { API_VERSION, LABEL } from '../../src/api/names.ts';
import type { PackageRevisionStatus } from '../../src/api/package-revision.ts';
import type { PackageSource } from '../../src/api/package-source.ts';
import { CliWorld } from '../fakes/cli-world.ts';
import { aComponent, aRevision, aRevisionComponent, aSource } from './objects.ts';

export const SHOP = { apiVersion: API_VERSION, kind: 'Package', name: 'shop' };

export const OPERATOR_LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  name: 'kubepkg-operator.kubepkg.dev',
  namespace: 'kubepkg-system',
};

export function shopSource(spec: Partial<PackageSource['spec']> = {}, name = 'shop'): KubeObject {
  const variants = ['default', 'large'].map((one) => ({
    name: one,
    components: [aComponent('store'), aComponent('app')],
  }));
  const { apiVersion, kind, ...source } = aSource([], { variants, ...spec });
  return { apiVersion, kind, metadata: { name, generation: 1 }, spec: source.spec };
}

/** The command line in front of a cluster with one source and an operator at work. */
export function shopWorld(): CliWorld {
  const world = new CliWorld();
  world.cluster.set(shopSource());
  setLease(world, { holderIdentity: 'operator-1', renewTime: '2029-12-31T23:59:55.000000Z', leaseDurationSeconds: 15 });
  return world;
}

export function setLease(world: CliWorld, spec: unknown): void {
  const { apiVersion, kind, name, namespace } = OPERATOR_LEASE;
  world.cluster.set({ apiVersion, kind, metadata: { name, namespace }, spec });
}

export type Ready = readonly [Condition['status'], string, string?];

export const WELL: Ready = ['True', 'ReconciliationSucceeded', 'all is well'];

interface Report {
  readonly name?: string;
  readonly ready: Ready;
  readonly version?: string;
  readonly revision?: number;
  readonly generation?: number;
  readonly source?: number;
}

/** What the operator writes into the status of a package. */
export function report(world: CliWorld, { name = 'shop', ready, version, revision, generation, source }: Report): void {
  const pkg = world.cluster.get({ ...SHOP, name });
  if (pkg === undefined) throw new Error(`there is no package ${name}`);
  const [status, reason, message = ''] = ready;
  const observedGeneration = generation ?? pkg.metadata.generation;
  const since = { lastTransitionTime: '2030-01-01T00:00:00Z' };
  const conditions = [{ type: 'Ready', status, reason, message, observedGeneration, ...since }];
  const seen = source === undefined ? {} : { observedSourceGeneration: source };
  world.cluster.set({ ...pkg, status: { conditions, version, currentRevision: revision, ...seen } });
}

type RevisionPhase = NonNullable<PackageRevisionStatus['phase']>;

/** A revision that the operator has begun. */
export function revise(world: CliWorld, number: number, version: string, phase: RevisionPhase = 'Applying'): void {
  const progress: PackageRevisionStatus['components'] = [{ name: 'store', state: 'Submitted', attempt: 1 }];
  const components = [aRevisionComponent('store'), aRevisionComponent('app')];
  const revision = aRevision({ number, version, components, status: { phase, components: progress } });
  const { apiVersion, kind, spec, status } = revision;
  const metadata = { ...revision.metadata, labels: { [LABEL.package]: 'shop' } };
  world.cluster.set({ apiVersion, kind, metadata, spec, status });
}

/** An operator that answers every write of a package at once. */
export function answering(world: CliWorld, ready: Ready): void {
  world.cluster.onWrite = ({ kind, metadata }) => {
    if (kind === 'Package') report(world, { name: metadata.name, ready, version: '1.0.0', revision: 1 });
  };
}
