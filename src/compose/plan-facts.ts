import { gzipSync } from 'node:zlib';
import { KubepkgError } from '../api/errors.ts';
import { type KubeObject, refOf } from '../api/kube.ts';
import { ANNOTATION, LABEL } from '../api/names.ts';
import { lastApplied } from '../domain/decide/views.ts';
import type { Forecast } from '../domain/plan/forecast.ts';
import type {
  ClusterFacts,
  ComponentFacts,
  CrdFacts,
  ObjectFacts,
  PlanFacts,
  RecordFacts,
  ReleaseFacts,
} from '../domain/plan/predictions/facts.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import { isCustomKind } from '../domain/readiness/custom-kinds.ts';
import { CRD } from '../engine/crd-book.ts';
import { readChartArchive } from '../helm/chart-archive.ts';
import { readChartContents } from '../helm/chart-contents.ts';
import { at, isRecord, type JsonObject } from '../lib/json.ts';
import { memoizeAsync } from '../lib/memoize.ts';
import { parseYamlDocuments, YamlError } from '../lib/yaml.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { ifPossible } from './plan-attempt.ts';
import { CRD_METADATA, RECORDS } from './plan-sight.ts';
import type { Foreseen, Looking, Planning } from './planning.ts';

/** What was found out about a component that would be delivered. */
export interface FoundComponent {
  readonly component: DesiredComponent;
  readonly chart: FetchedChart | undefined;
  readonly values: JsonObject | undefined;
  readonly objects: readonly ObjectFacts[];
  readonly former: readonly KubeObject[];
  readonly refusal: KubepkgError | undefined;
}

/** Whose fields on the objects are those of the delivery, by backend. */
const MANAGERS: Readonly<Record<string, readonly string[]>> = {
  helm: ['helm', 'kubepkg'],
  flux: ['helm-controller', 'helm', 'kubepkg'],
  argocd: ['argocd-controller', 'argocd-application-controller', 'kubepkg'],
};

/** Everything that predictions are made from, as far as it can be had. */
export async function planFacts(
  looking: Looking,
  { world, package: pkg, forecast }: Foreseen,
  found: readonly FoundComponent[],
): Promise<PlanFacts> {
  const backend = backendOf(looking, world);
  return {
    package: plannedPackage(looking, { world, package: pkg }),
    components: await Promise.all(found.map((each) => componentFacts(looking, each, backend))),
    cluster: await clusterFacts(looking, found),
    releases: await releaseFacts(looking, forecast),
    managers: MANAGERS[backend] ?? [backend, 'kubepkg'],
    forcesConflicts: backend === 'helm',
  };
}

function plannedPackage(
  { eyes }: Planning,
  { world: { resolution }, package: { metadata } }: Pick<Foreseen, 'world' | 'package'>,
): PlanFacts['package'] {
  const { rollbackSafe = false, crds = [], version } = resolution?.kind === 'resolved' ? resolution.desired : {};
  const source = eyes.journal.source(metadata.name);
  const { images = [] } = source?.ok === true ? source.value.spec : {};
  const adopts = metadata.annotations?.[ANNOTATION.adopt] === 'true';
  return { name: metadata.name, version, rollbackSafe, crds, images, adopts };
}

/** Of what is wanted, else of what runs. */
export function backendOf({ deps }: Planning, { resolution, revisions }: Foreseen['world']): string {
  if (resolution?.kind === 'resolved') return resolution.desired.backend;
  return lastApplied({ revisions })?.spec.backend ?? deps.options.defaultBackend;
}

async function componentFacts(looking: Looking, found: FoundComponent, backend: string): Promise<ComponentFacts> {
  const { component, chart, objects, former, refusal } = found;
  return {
    component,
    objects,
    crds: chart === undefined ? [] : await crdFacts(looking, chart),
    recorded: former.map((object) => refOf(object)),
    ...(refusal === undefined ? {} : { refusal: { code: refusal.code, message: refusal.message } }),
    ...(chart?.valuesKeys === undefined ? {} : { valuesKeys: chart.valuesKeys }),
    // Argo CD keeps no records of releases.
    ...(chart === undefined || backend === 'argocd' ? {} : { record: await recordFacts(chart, found) }),
  };
}

async function crdFacts({ deps, unread }: Looking, chart: FetchedChart): Promise<readonly CrdFacts[]> {
  const wanted = await crdsOf(chart);
  return Promise.all(
    wanted.map(async (crd) => {
      const ref = refOf(crd);
      const live = await ifPossible(() => deps.cluster.read(ref), undefined, unread.note(ref));
      return { wanted: crd, ...(live === undefined ? {} : { live }) };
    }),
  );
}

/** The CRDs of a chart's `crds/` folders; what cannot be read there is refused where it is delivered. */
export const crdsOf = memoizeAsync(
  (chart: FetchedChart): Promise<readonly KubeObject[]> =>
    ifReadable(async () => {
      const { crds } = await readChartContents(chart.path);
      const documents = crds.flatMap((text) => parseYamlDocuments(text, 'crds'));
      return documents.flatMap((document) => (isCrd(document) ? [document] : []));
    }, []),
);

function isCrd(document: unknown): document is KubeObject {
  return isRecord(document) && document['kind'] === CRD.kind && isRecord(document['metadata']);
}

const SUBCHART = /^[^/]+\/charts\//;
const LARGEST = 5;

/** Subcharts are not part of the record. */
export async function recordFacts(chart: FetchedChart, { values = {}, objects }: FoundComponent): Promise<RecordFacts> {
  const files = await ifReadable(() => readChartArchive(chart.path), []);
  const own = files.filter(({ path }) => !SUBCHART.test(path));
  const sizes = own.map(({ path, content }) => ({ path, bytes: content.length })).sort((a, b) => b.bytes - a.bytes);
  const manifest = objects.reduce((sum, { after }) => sum + JSON.stringify(after).length, 0);
  return {
    chartBytes: gzipSync(Buffer.concat(own.map(({ content }) => content))).length,
    textBytes: manifest + JSON.stringify(values).length,
    largest: sizes.slice(0, LARGEST),
  };
}

async function clusterFacts(looking: Looking, found: readonly FoundComponent[]): Promise<ClusterFacts> {
  const still = looking.deps.cluster;
  const written = found.flatMap(({ objects, former }) => [...objects.map(({ after }) => after), ...former]);
  const kinds = [...new Map(written.map((object) => [`${object.apiVersion} ${object.kind}`, object])).values()];
  const served = await Promise.all(kinds.map(({ apiVersion, kind }) => still.served(apiVersion, kind)));
  const places = found.map(({ component }) => component.namespace);
  const names = new Set([...places, ...written.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  const crds = await Promise.all(kinds.map((object, index) => definitionOf(looking, object, served[index]?.plural)));
  return {
    unserved: kinds
      .filter((_kind, index) => served[index] === undefined)
      .map(({ apiVersion, kind }) => ({ apiVersion, kind })),
    crds: crds.flatMap((crd) => crd ?? []),
    autoscalers: (await Promise.all([...names].map((namespace) => autoscalersIn(looking, namespace)))).flat(),
    namespaces: await existing(looking, [...names]),
  };
}

/** The CRD behind a kind; undefined: it is built in, not there, or cannot be read, which is noted. */
async function definitionOf(
  { deps: { cluster }, unread }: Looking,
  { apiVersion }: KubeObject,
  plural: string | undefined,
): Promise<KubeObject | undefined> {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
  const name = `${plural ?? ''}.${group}`;
  const known = await ifPossible(() => cluster.list(CRD_METADATA), undefined, unread.note(CRD));
  const isCustom = known?.items.some(({ metadata }) => metadata.name === name) ?? isCustomKind({ apiVersion });
  const ref = { ...CRD, name };
  return isCustom ? ifPossible(() => cluster.read(ref), undefined, unread.note(ref)) : undefined;
}

function autoscalersIn({ deps: { cluster }, unread }: Looking, namespace: string): Promise<readonly KubeObject[]> {
  const selection = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace };
  return ifPossible(async () => (await cluster.list(selection)).items, [], unread.note(selection));
}

/** Undefined: whether they exist cannot be known. */
async function existing(
  { deps: { cluster }, unread }: Looking,
  names: readonly string[],
): Promise<readonly string[] | undefined> {
  const found = await Promise.all(
    names.map((name) => {
      const ref = { apiVersion: 'v1', kind: 'Namespace', name };
      return ifPossible(() => cluster.read(ref, { metadataOnly: true }), 'unread', unread.note(ref));
    }),
  );
  if (found.includes('unread')) return undefined;
  return found.flatMap((namespace) => (typeof namespace === 'object' ? namespace.metadata.name : []));
}

async function releaseFacts({ deps: { cluster } }: Looking, { steps }: Forecast): Promise<ReleaseFacts> {
  // Without them a release is named, and its package is not: nothing to complain of.
  const records = await ifPossible(async () => (await cluster.list(RECORDS)).items, []);
  const packages = records.flatMap(({ metadata: { labels = {}, namespace = '' } }) => {
    const pkg = labels[LABEL.package];
    return pkg === undefined ? [] : [[`${namespace}/${labels['name'] ?? ''}`, pkg] as const];
  });
  const leaving = steps.flatMap((step) => (step.kind === 'remove' && step.why === 'moved' ? [step.release] : []));
  return { packages: Object.fromEntries(packages), leaving };
}

/** A chart that cannot be read, for whatever reason, is refused where it is rendered. */
function ifReadable<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  return ifPossible(async () => {
    try {
      return await read();
    } catch (thrown) {
      if (!(thrown instanceof YamlError) && typeof at(thrown, 'errno') !== 'number') throw thrown;
      throw new KubepkgError('ArchiveInvalid', String(at(thrown, 'message')), { cause: thrown });
    }
  }, otherwise);
}
