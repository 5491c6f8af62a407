import { gzipSync } from 'node:zlib';
import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
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
import { CRD } from '../engine/crd-book.ts';
import { readChartArchive } from '../helm/chart-archive.ts';
import { readChartContents } from '../helm/chart-contents.ts';
import { asString, at, isRecord, type JsonObject } from '../lib/json.ts';
import { parseYamlDocuments, YamlError } from '../lib/yaml.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { CRD_METADATA, RECORDS } from './plan-sight.ts';
import type { Foreseen, Planning } from './planning.ts';
import type { StillCluster } from './still-cluster.ts';

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
  planning: Planning,
  { world, package: pkg, forecast }: Foreseen,
  found: readonly FoundComponent[],
): Promise<PlanFacts> {
  const still = planning.deps.cluster;
  const backend = backendOf(planning, world);
  return {
    package: plannedPackage(planning, { world, package: pkg }),
    components: await Promise.all(found.map((each) => componentFacts(still, each, backend))),
    cluster: await clusterFacts(still, found),
    releases: await releaseFacts(still, forecast),
    managers: MANAGERS[backend] ?? [backend, 'kubepkg'],
    forcesConflicts: backend === 'helm',
  };
}

function plannedPackage(
  { eyes }: Planning,
  { world: { resolution }, package: { metadata } }: Pick<Foreseen, 'world' | 'package'>,
): PlanFacts['package'] {
  const { rollbackSafe = false, crds = [] } = resolution?.kind === 'resolved' ? resolution.desired : {};
  const source = eyes.journal.source(metadata.name);
  const { images = [] } = source?.ok === true ? source.value.spec : {};
  const adopts = metadata.annotations?.[ANNOTATION.adopt] === 'true';
  return { name: metadata.name, rollbackSafe, crds, images, adopts };
}

/** Of what is wanted, else of what runs. */
export function backendOf({ deps }: Planning, { resolution, revisions }: Foreseen['world']): string {
  if (resolution?.kind === 'resolved') return resolution.desired.backend;
  return lastApplied({ revisions })?.spec.backend ?? deps.options.defaultBackend;
}

async function componentFacts(still: StillCluster, found: FoundComponent, backend: string): Promise<ComponentFacts> {
  const { component, chart, objects, former, refusal } = found;
  return {
    component,
    objects,
    crds: chart === undefined ? [] : await crdFacts(still, chart),
    recorded: former.map((object) => refOf(object)),
    ...(refusal === undefined ? {} : { refusal: { code: refusal.code, message: refusal.message } }),
    ...(chart?.valuesKeys === undefined ? {} : { valuesKeys: chart.valuesKeys }),
    // Argo CD keeps no records of releases.
    ...(chart === undefined || backend === 'argocd' ? {} : { record: await recordFacts(chart, found) }),
  };
}

async function crdFacts(still: StillCluster, chart: FetchedChart): Promise<readonly CrdFacts[]> {
  const wanted = await crdsOf(chart);
  return Promise.all(
    wanted.map(async (crd) => {
      const live = await ifPossible(() => still.read(refOf(crd)), undefined);
      return { wanted: crd, ...(live === undefined ? {} : { live }) };
    }),
  );
}

/** The CRDs of a chart's `crds/` folders; what cannot be read there is refused where it is delivered. */
export async function crdsOf(chart: FetchedChart): Promise<readonly KubeObject[]> {
  return ifPossible(async () => {
    const { crds } = await readChartContents(chart.path);
    const documents = crds.flatMap((text) => parseYamlDocuments(text, 'crds'));
    return documents.flatMap((document) => (isCrd(document) ? [document] : []));
  }, []);
}

function isCrd(document: unknown): document is KubeObject {
  return isRecord(document) && document['kind'] === CRD.kind && isRecord(document['metadata']);
}

const SUBCHART = /^[^/]+\/charts\//;
const LARGEST = 5;

/** Subcharts are not part of the record. */
export async function recordFacts(chart: FetchedChart, { values = {}, objects }: FoundComponent): Promise<RecordFacts> {
  const files = await ifPossible(() => readChartArchive(chart.path), []);
  const own = files.filter(({ path }) => !SUBCHART.test(path));
  const sizes = own.map(({ path, content }) => ({ path, bytes: content.length })).sort((a, b) => b.bytes - a.bytes);
  const manifest = objects.reduce((sum, { after }) => sum + JSON.stringify(after).length, 0);
  return {
    chartBytes: gzipSync(Buffer.concat(own.map(({ content }) => content))).length,
    textBytes: manifest + JSON.stringify(values).length,
    largest: sizes.slice(0, LARGEST),
  };
}

async function clusterFacts(still: StillCluster, found: readonly FoundComponent[]): Promise<ClusterFacts> {
  const written = found.flatMap(({ objects, former }) => [...objects.map(({ after }) => after), ...former]);
  const kinds = [...new Map(written.map((object) => [`${object.apiVersion} ${object.kind}`, object])).values()];
  const served = await Promise.all(kinds.map(({ apiVersion, kind }) => still.served(apiVersion, kind)));
  const places = found.map(({ component }) => component.namespace);
  const names = new Set([...places, ...written.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  const crds = await Promise.all(kinds.map((object, index) => definitionOf(still, object, served[index]?.plural)));
  return {
    unserved: kinds
      .filter((_kind, index) => served[index] === undefined)
      .map(({ apiVersion, kind }) => ({ apiVersion, kind })),
    crds: crds.flatMap((crd) => crd ?? []),
    autoscalers: (await Promise.all([...names].map((namespace) => autoscalersIn(still, namespace)))).flat(),
    namespaces: await existing(still, [...names]),
  };
}

/** The CRD behind a kind; undefined: it is built in, or not there. */
async function definitionOf(
  still: StillCluster,
  { apiVersion }: KubeObject,
  plural: string | undefined,
): Promise<KubeObject | undefined> {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
  const name = `${plural ?? ''}.${group}`;
  const known = await ifPossible(async () => (await still.list(CRD_METADATA)).items, []);
  if (!known.some(({ metadata }) => metadata.name === name)) return undefined;
  return ifPossible(() => still.read({ ...CRD, name }), undefined);
}

function autoscalersIn(still: StillCluster, namespace: string): Promise<readonly KubeObject[]> {
  const selection = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace };
  return ifPossible(async () => (await still.list(selection)).items, []);
}

/** Undefined: whether they exist cannot be known. */
async function existing(still: StillCluster, names: readonly string[]): Promise<readonly string[] | undefined> {
  return ifPossible(async () => {
    const found = await Promise.all(
      names.map((name) => still.read({ apiVersion: 'v1', kind: 'Namespace', name }, { metadataOnly: true })),
    );
    return found.flatMap((namespace) => namespace?.metadata.name ?? []);
  }, undefined);
}

async function releaseFacts(still: StillCluster, { steps }: Forecast): Promise<ReleaseFacts> {
  const records = await ifPossible(async () => (await still.list(RECORDS)).items, []);
  const packages = records.flatMap(({ metadata: { labels = {}, namespace = '' } }) => {
    const pkg = labels[LABEL.package];
    return pkg === undefined ? [] : [[`${namespace}/${labels['name'] ?? ''}`, pkg] as const];
  });
  const leaving = steps.flatMap((step) => (step.kind === 'remove' && step.why === 'moved' ? [step.release] : []));
  return { packages: Object.fromEntries(packages), leaving };
}

/** What may not be looked at, or cannot be read, is not known. */
async function ifPossible<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read();
  } catch (thrown) {
    const isOfSystem = asString(at(thrown, 'code')) !== undefined;
    if (!isOfSystem && !(thrown instanceof YamlError) && asKubepkgError(thrown).class === 'bug') throw thrown;
    return otherwise;
  }
}
