import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { readChartContents } from '../../helm/chart-contents.ts';
import { enabledCrds } from '../../helm/chart-crds.ts';
import { crdPolicy } from '../../helm/crd-policy.ts';
import { type CrdStep, planCrds } from '../../helm/create-crds.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import { HOOK } from '../../helm/hook-objects.ts';
import { annotationIn, type ManifestDocument, manifestDocuments, mayVanish } from '../../helm/manifest.ts';
import { readMetadata } from '../../helm/ownership.ts';
import { placedObjects, renderOnServerFirst, type RenderOptions } from '../../helm/preview.ts';
import { fixedPart, isJob } from '../../helm/recreate-jobs.ts';
import { isTerminating } from '../../helm/remains.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import type { DescribedObject } from './noted.ts';
import { refuseForeign } from './refuse-foreign.ts';
import type { ArgoCdTools } from './tools.ts';

const ARGO_HOOK = 'argocd.argoproj.io/hook';
/** Of helm's hooks, those that Argo CD runs. */
const EVENTS: readonly string[] = ['pre-install', 'pre-upgrade', 'post-install', 'post-upgrade', 'post-delete'];

/** What has to be known before anything is written. */
export interface Examined {
  readonly crds: readonly CrdStep[];
  /** All that the release will have, hooks aside. */
  readonly objects: readonly DescribedObject[];
}

export interface Scene {
  readonly live: KubeObject | undefined;
  readonly mode: DeliveryMode;
  readonly signal: AbortSignal;
}

/** Renders the chart once, and finds by that what Argo CD would find too late, or not at all. */
export async function examine(release: DesiredRelease, scene: Scene, tools: ArgoCdTools): Promise<Examined> {
  await requireNamespace(release, tools);
  if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
  const { crds: texts } = await readChartContents(release.chart.path);
  const withCrds = texts.length > 0 && crdPolicy(release, scene.mode) !== 'Skip';
  const rendered = await renderAsArgoCd(release, { withCrds, withHooks: true, signal: scene.signal }, tools);
  const crds = withCrds ? await objectsOf(enabledCrds(rendered, texts), release, tools) : [];
  const documents = await releaseDocuments(rendered, { crds, release }, tools);
  await refuseForeign(
    documents.map(({ ref }) => ref),
    { release, live: scene.live },
    tools,
  );
  return {
    crds: await planCrds(crds, { release, policy: crdPolicy(release, scene.mode) }, tools.cluster),
    objects: documents.filter((document) => !isHook(document)).map((document) => describe(document)),
  };
}

/** Every time as an installation; whose the objects are that exist, Argo CD does not ask. */
export function renderAsArgoCd(
  release: DesiredRelease,
  options: Omit<RenderOptions, 'isUpgrade' | 'onServer'>,
  tools: ArgoCdTools,
): Promise<string> {
  return renderOnServerFirst(release, { ...options, isUpgrade: false, takesOwnership: true }, tools);
}

/** The objects of a release as they would be, without hooks. */
export async function preview(release: DesiredRelease, tools: ArgoCdTools): Promise<readonly KubeObject[]> {
  if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
  return placedObjects(await renderAsArgoCd(release, {}, tools), release, tools);
}

/** Those of the `crds/` folders aside, and what Argo CD never applies: tests, and hooks of other events. */
async function releaseDocuments(
  rendered: string,
  { crds, release }: { readonly crds: readonly KubeObject[]; readonly release: DesiredRelease },
  { store }: ArgoCdTools,
): Promise<readonly ManifestDocument[]> {
  const own = new Set(crds.map(({ metadata }) => metadata.name));
  const documents = manifestDocuments(rendered)
    .filter(({ ref }) => ref.kind !== 'CustomResourceDefinition' || !own.has(ref.name))
    .filter((document) => !isHook(document) || runs(document));
  return store.placed(documents, release.namespace);
}

/** Argo CD has hooks of its own, and takes helm's for such. */
function isHook(document: ManifestDocument): boolean {
  const isHelms = ![undefined, 'crd-install'].includes(annotationIn(document, HOOK));
  return isHelms || annotationIn(document, ARGO_HOOK) !== undefined;
}

function runs(document: ManifestDocument): boolean {
  const events = (annotationIn(document, HOOK) ?? '').split(',').map((event) => event.trim());
  return annotationIn(document, ARGO_HOOK) !== undefined || events.some((event) => EVENTS.includes(event));
}

function describe({ ref, text }: ManifestDocument): DescribedObject {
  if (!isJob(ref)) return { ref };
  return { ref, job: { unchangeable: fixedPart(text), mayVanish: mayVanish(ref, text) } };
}

async function objectsOf(
  texts: readonly string[],
  release: DesiredRelease,
  tools: ArgoCdTools,
): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const text of texts) objects.push(...(await placedObjects(text, release, tools)));
  return objects;
}

/** Argo CD would try, fail, and say so in prose. */
async function requireNamespace({ namespace }: DesiredRelease, { cluster }: ArgoCdTools): Promise<void> {
  const live = await readMetadata({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, cluster);
  if (live === undefined) throw new KubepkgError('ApiNotFound', `namespace ${namespace} does not exist`);
  if (isTerminating(live)) {
    throw new KubepkgError('NamespaceTerminating', `namespace ${namespace} is being deleted`);
  }
}
