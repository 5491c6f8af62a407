import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { Requirement, SourceComponent, WrittenPackageSourceSpec } from '../../../src/api/package-source.ts';
import { podAnnotations } from './charts.ts';
import { condition, isReady, type OperatorWorld, type PackageObject } from './world.ts';

/** A version of a package, as its author publishes it. */
export interface Version {
  /** Reference of the tree that its charts are in. */
  readonly tree: string;
  readonly components: readonly SourceComponent[];
  readonly version?: string;
  readonly safe?: boolean;
  readonly requires?: readonly Requirement[];
  readonly rest?: Partial<WrittenPackageSourceSpec>;
}

export async function publish(world: OperatorWorld, name: string, wanted: Version): Promise<void> {
  const { tree, components, version = '1.0.0', safe = false, requires = [], rest = {} } = wanted;
  await world.applySource(name, {
    version,
    rollback: { safe },
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [{ name: 'default', components: [...components], requires: [...requires] }],
    ...rest,
  });
}

/** Makes components of one namespace; a component is called as the folder of its chart, unless it is told otherwise. */
export function inNamespace(
  namespace: string,
): (path: string, install?: SourceComponent['install'], name?: string) => SourceComponent {
  return (path, install = {}, name = path) => ({ name, path, install: { namespace, ...install } });
}

/** Values that make the pods of a component behave in a certain way. */
export function sim(behavior: Readonly<Record<string, string>>): { readonly values: { sim: Record<string, string> } } {
  return { values: { sim: podAnnotations(behavior) } };
}

export const NEVER_READY = { behavior: 'never-ready' };

/** The next pod of a component that is not to become ready does so. */
export async function cure(world: OperatorWorld, namespace: string, app: string): Promise<void> {
  const pod = await untilPod(world, { namespace, app, holds: (each) => behaviorOf(each) === NEVER_READY.behavior });
  await behave(world, pod, null);
}

/** A pod of a component that was ready is so no more. */
export async function spoil(world: OperatorWorld, namespace: string, app: string): Promise<void> {
  const pod = await untilPod(world, { namespace, app, holds: () => true });
  await behave(world, pod, NEVER_READY.behavior);
}

export interface PodQuery {
  readonly namespace: string;
  readonly app: string;
  readonly holds: (pod: KubeObject) => boolean;
}

export function untilPod(world: OperatorWorld, { namespace, app, holds }: PodQuery): Promise<KubeObject> {
  return new Promise((resolve) => {
    const selection = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: `app=${app}` };
    const subscription = world.cluster.watch(selection, (event) => {
      if (event.type !== 'set' || !holds(event.object)) return;
      queueMicrotask(() => {
        subscription.stop();
      });
      resolve(event.object);
    });
  });
}

function behaviorOf({ metadata }: KubeObject): string | undefined {
  return metadata.annotations?.['sim.kubepkg.dev/behavior'];
}

async function behave(world: OperatorWorld, { metadata }: KubeObject, behavior: string | null): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name };
  const patch = { metadata: { annotations: podAnnotations({ behavior }) } };
  await world.cluster.write({ verb: 'merge-patch', ref, patch });
}

export async function annotate(
  world: OperatorWorld,
  name: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const ref = { apiVersion: API_VERSION, kind: 'Package', name };
  await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { annotations } } });
}

/** Asks for its removal, and does not wait for it. */
export async function deletePackage(world: OperatorWorld, name: string): Promise<void> {
  await world.cluster.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'Package', name } });
}

/** Takes the finalizers of a ConfigMap away. */
export async function letGo(world: OperatorWorld, namespace: string, name: string): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name };
  await world.cluster.write({ verb: 'merge-patch', ref, patch: { metadata: { finalizers: null } } });
}

export async function createNamespace(world: OperatorWorld, name: string): Promise<void> {
  await world.cluster.write({ verb: 'create', object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } } });
}

/** Each Deployment of a namespace with its image. */
export async function imagesOf(world: OperatorWorld, namespace: string): Promise<readonly unknown[]> {
  const { items } = await world.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  return items.map((object) => `${object.metadata.name} ${imageIn(object)}`);
}

function imageIn(deployment: KubeObject): string {
  const [container] = (deployment.spec as { template: { spec: { containers: { image: string }[] } } }).template.spec
    .containers;
  return container?.image ?? '';
}

/** Each Deployment of a namespace with the edition of its chart and its image. */
export async function deploymentsOf(world: OperatorWorld, namespace: string): Promise<readonly string[]> {
  const { items } = await world.cluster.list({ apiVersion: 'apps/v1', kind: 'Deployment', namespace });
  return items.map((object) => {
    const { name, labels = {} } = object.metadata;
    return [name, labels['edition'], imageIn(object)].join(' ');
  });
}

/** The numbers of helm's records of each release, oldest first. */
export async function numbersOf(
  world: OperatorWorld,
  namespace: string,
  releases: readonly string[],
): Promise<Readonly<Record<string, readonly (string | undefined)[]>>> {
  const records = await Promise.all(releases.map((name) => world.records(namespace, name)));
  const versions = records.map((each) => each.map(({ metadata }) => metadata.labels?.version));
  return Object.fromEntries(releases.map((name, index) => [name, versions[index] ?? []]));
}

/** Every Job that is ever made in a namespace, with the versions that it was told. */
export function countJobs(world: OperatorWorld, namespace: string): readonly string[] {
  const seen = new Map<string, string>();
  const runs: string[] = [];
  world.cluster.watch({ apiVersion: 'batch/v1', kind: 'Job', namespace }, (event) => {
    if (event.type !== 'set') return;
    const { uid = '', name } = event.object.metadata;
    if (seen.has(uid)) return;
    seen.set(uid, name);
    runs.push(versionsIn(event.object));
  });
  return runs;
}

function versionsIn(job: KubeObject): string {
  const [container] = (job.spec as { template: { spec: { containers: { env?: { value: string }[] }[] } } }).template
    .spec.containers;
  return (container?.env ?? []).map(({ value }) => value).join(' to ');
}

export const phases = (revisions: readonly PackageRevision[]): readonly (string | undefined)[] =>
  revisions.map(({ status }) => status?.phase);

export const messageOf = (object: KubeObject): string => condition(object, 'Ready')?.message ?? '';

export const isAt =
  (version: string) =>
  (pkg: PackageObject): boolean =>
    isReady(pkg) && pkg.status?.version === version;

/** What its Ready condition says has to match. */
export const says =
  (text: RegExp) =>
  (pkg: KubeObject): boolean =>
    text.test(messageOf(pkg));
