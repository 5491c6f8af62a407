import { asKubepkgError, isCode } from '../../../src/api/errors.ts';
import { type KubeObject, refKey, refOf } from '../../../src/api/kube.ts';
import type {
  ComponentFacts,
  ObjectFacts,
  PlanFacts,
  PlannedComponent,
  PredictedFinding,
  Refusal,
} from '../../../src/domain/plan/predictions/facts.ts';
import { predict } from '../../../src/domain/plan/predictions/predictions.ts';
import type { Backend, DesiredRelease } from '../../../src/ports/backend.ts';
import { componentFacts, planFacts } from '../../build/plan-facts.ts';
import type { BackendWorld } from '../../conformance/backend-world.ts';
import { adminAccess, clientOf } from '../../integration/kube/clients.ts';

export interface Asked {
  /** What the release was made of before. */
  readonly former?: readonly KubeObject[];
  readonly component?: Partial<PlannedComponent>;
  /** CRDs of the chart's crds folder. */
  readonly crds?: readonly KubeObject[];
  readonly around?: Parameters<typeof planFacts>[1];
  readonly rest?: Partial<Pick<ComponentFacts, 'valuesKeys' | 'record'>>;
  /** Whether the API server is asked to try each write; without, the tables alone have to know. */
  readonly tries: boolean;
}

/** What a plan says of a release before it is delivered, from what the real API server and the real helm have. */
export async function foretell(
  world: BackendWorld,
  release: DesiredRelease,
  asked: Asked,
): Promise<readonly PredictedFinding[]> {
  return predict(await gather(world, release, asked));
}

async function gather(world: BackendWorld, release: DesiredRelease, asked: Asked): Promise<PlanFacts> {
  const backend = world.harness.createBackend();
  const rendered = await render(backend, release);
  const former = new Map((asked.former ?? []).map((object) => [refKey(refOf(object)), object]));
  const objects = await Promise.all(
    rendered.objects.map((after) => look(world, { after, before: former.get(refKey(refOf(after))) }, asked)),
  );
  const recorded = (await backend.inventory(release)).map(({ mayVanish: _not, ...ref }) => ref);
  const crds = (asked.crds ?? []).map(async (wanted) => ({
    wanted,
    live: await world.harness.cluster.read(refOf(wanted)),
  }));
  const facts = componentFacts(objects, {
    component: { releaseName: release.releaseName, namespace: release.namespace, ...asked.component },
    crds: await Promise.all(crds),
    recorded,
    refusal: rendered.refusal,
    ...asked.rest,
  });
  const kinds = [...objects.map(({ after }) => after), ...recorded];
  const fresh = clientOf(adminAccess());
  const served = await Promise.all(kinds.map(({ apiVersion, kind }) => fresh.served(apiVersion, kind)));
  fresh.close();
  const namespaces = (await world.harness.cluster.list({ apiVersion: 'v1', kind: 'Namespace' })).items;
  const cluster = {
    unserved: kinds.filter((_kind, index) => served[index] === undefined),
    namespaces: namespaces.map(({ metadata }) => metadata.name),
  };
  return planFacts([facts], { ...asked.around, cluster: { ...cluster, ...asked.around?.cluster } });
}

interface Rendered {
  readonly objects: readonly KubeObject[];
  readonly refusal?: Refusal;
}

async function render(backend: Backend, release: DesiredRelease): Promise<Rendered> {
  try {
    return { objects: await backend.preview(release) };
  } catch (error) {
    return { objects: [], refusal: refusalOf(error) };
  }
}

async function look(
  { harness: { cluster } }: BackendWorld,
  { after, before }: Pick<ObjectFacts, 'after' | 'before'>,
  { tries }: Asked,
): Promise<ObjectFacts> {
  const live = await cluster.read(refOf(after)).catch((error: unknown) => {
    if (isCode(error, 'KindNotServed')) return undefined;
    throw error;
  });
  const known = { after, before, live };
  if (!tries) return known;
  try {
    await cluster.write({ verb: 'apply', object: after, force: true, dryRun: true });
    return { ...known, dryRun: 'accepted' };
  } catch (error) {
    return { ...known, dryRun: refusalOf(error) };
  }
}

function refusalOf(thrown: unknown): Refusal {
  const { code, message } = asKubepkgError(thrown);
  return { code, message };
}
