import type { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { World } from '../domain/decide/world.ts';
import { componentPlans } from '../domain/plan/component-plans.ts';
import { endFinding, restFinding } from '../domain/plan/end-findings.ts';
import type { ForecastEnd } from '../domain/plan/forecast.ts';
import type { ObjectPlan, PackagePlan, RequirementPlan } from '../domain/plan/plan.ts';
import type { PredictedFinding } from '../domain/plan/predictions/facts.ts';
import { predict } from '../domain/plan/predictions/predictions.ts';
import { versionPlan } from '../domain/plan/version-plan.ts';
import { requiredName } from '../domain/resolve/requirements.ts';
import { attempt, ifPossible } from './plan-attempt.ts';
import { unreachableFindings, wantedIn } from './plan-charts.ts';
import { type Deliverable, deliverablesOf } from './plan-deliverables.ts';
import { backendOf, type FoundComponent, planFacts } from './plan-facts.ts';
import { inputsOf } from './plan-inputs.ts';
import { tryRelease } from './plan-objects.ts';
import { hideInFindings, platformSecrets } from './plan-secrets.ts';
import { crdPlans, knownCrds, namespacePlans, permissionPlans } from './plan-surroundings.ts';
import { Unread } from './plan-unread.ts';
import type { Foreseen, Looking, Planning } from './planning.ts';
import { createReleaseReader } from './release-reader.ts';
import { formerObjects } from './plan-former.ts';

/** All that is to be said of what would be done for one package. */
export async function describePackage(planning: Planning, foreseen: Foreseen): Promise<PackagePlan> {
  const { cluster } = planning.deps;
  const { world, forecast, package: pkg, charts } = foreseen;
  const unread = new Unread();
  const surroundings = { cluster, unread };
  const deliverables = await deliverablesOf(planning, foreseen);
  const [known, compared] = await Promise.all([
    knownCrds(surroundings),
    planning.request.objects ? lookInto({ ...planning, unread }, foreseen, deliverables.list) : NOTHING,
  ]);
  const end = endOf(foreseen);
  const crds = await crdPlans(forecast, deliverables.list, known);
  const namespaces = await namespacePlans(surroundings, deliverables.list);
  return {
    name: pkg.metadata.name,
    ...versionPlan(world, forecast),
    variant: pkg.spec.variant,
    backend: backendOf(planning, world),
    requires: requirementPlans(planning, world),
    components: componentPlans(world, forecast),
    steps: forecast.steps,
    end,
    ...(forecast.rollback === undefined ? {} : { rollback: forecast.rollback }),
    crds,
    namespaces,
    permissions: await permissionPlans(cluster, compared.rendered),
    objects: compared.objects,
    findings: [
      ...endFinding(pkg.metadata.name, end),
      ...unreadableFindings(planning, world),
      ...(await unread.findings(cluster, pkg.metadata.name)),
      ...charts.findings,
      ...unreachableFindings(charts, world),
      ...deliverables.findings,
      ...compared.findings,
    ],
    inputs: inputsOf(planning, foreseen, {
      deliverables: deliverables.list,
      known,
      crds: crds.map(({ name }) => name),
    }),
  };
}

interface Looked {
  readonly objects: readonly ObjectPlan[];
  readonly findings: readonly PredictedFinding[];
  readonly rendered: readonly KubeObject[];
}

const NOTHING: Looked = { objects: [], findings: [], rendered: [] };

/** What every component would have, and what can be told from that. */
async function lookInto(looking: Looking, foreseen: Foreseen, deliverables: readonly Deliverable[]): Promise<Looked> {
  const secretValues = await platformSecrets(looking, foreseen);
  const looked = await Promise.all(deliverables.map((each) => lookAt({ ...looking, secretValues }, foreseen, each)));
  const found = [...looked.flatMap((each) => each.found ?? []), ...notDelivered(foreseen, deliverables)];
  const facts = await planFacts(looking, foreseen, found);
  return {
    objects: looked.flatMap(({ plans }) => plans),
    rendered: found.flatMap(({ objects }) => objects.map(({ after }) => after)),
    findings: hideInFindings(predict(facts), [...new Set(looked.flatMap((each) => each.secretValues))], found),
  };
}

/** Components whose charts cannot be had, so that nothing of them begins. */
function notDelivered({ world, charts }: Foreseen, deliverables: readonly Deliverable[]): readonly FoundComponent[] {
  const known = new Set(deliverables.map(({ component }) => component.name));
  return wantedIn(world).flatMap((component): readonly FoundComponent[] => {
    const refusal = charts.errors.get(component.name);
    if (refusal === undefined || known.has(component.name)) return [];
    return [{ component, chart: undefined, values: undefined, objects: [], former: [], refusal }];
  });
}

/** With what is to be hidden wherever it stands. */
interface Asking extends Looking {
  readonly secretValues: readonly string[];
}

interface LookedAt {
  readonly plans: readonly ObjectPlan[];
  readonly secretValues: readonly string[];
  /** Absent: what is wanted does not have it, so that it is judged by nobody. */
  readonly found?: FoundComponent | undefined;
}

async function lookAt(looking: Asking, foreseen: Foreseen, deliverable: Deliverable): Promise<LookedAt> {
  const { deps, live, unread, secretValues } = looking;
  const { component, chart, release } = deliverable;
  const wanted = wantedIn(foreseen.world).find(({ name }) => name === component.name);
  const rendered = await render(looking, deliverable);
  const refusal = foreseen.charts.errors.get(component.name) ?? rendered.refusal;
  const { objects = [], former } = rendered;
  const compared = objects.length === 0 ? [] : former;
  const manifest = { component: component.name, objects, former: compared, secretValues };
  const tried = await tryRelease({ live, still: deps.cluster, unread }, manifest);
  const { plans } = tried;
  if (wanted === undefined) return { plans, secretValues: tried.secretValues };
  const values = release?.values;
  return {
    plans,
    secretValues: tried.secretValues,
    found: { component: wanted, chart, values, objects: tried.facts, former, refusal },
  };
}

interface Rendered {
  readonly objects?: readonly KubeObject[];
  readonly former: readonly KubeObject[];
  readonly refusal?: KubepkgError;
}

async function render({ deps, unread }: Looking, deliverable: Deliverable): Promise<Rendered> {
  const { component, release, backend, isInstalled } = deliverable;
  if (release === undefined || backend?.capabilities.previewsObjects !== true) return { former: [] };
  const reader = createReleaseReader(deps.cluster, deps.clock);
  const query = { backend: backend.id, target: release };
  const records = { apiVersion: 'v1', kind: 'Secret', namespace: release.namespace };
  const former = isInstalled ? await ifPossible(() => formerObjects(reader, query), [], unread.note(records)) : [];
  const { value: objects, error: refusal } = await attempt(() => backend.preview(release));
  if (refusal === undefined) return { objects, former };
  // Of the chart it tells nothing.
  if (refusal.class === 'transient' || refusal.code === 'ApiForbidden') {
    unread.noteAll(`the objects of component ${component.name}`)(refusal);
  }
  return { former: [], refusal };
}

/** Where nothing is to be done, how what runs is doing is the operator's word. */
function endOf({ forecast, package: pkg }: Foreseen): ForecastEnd {
  return (forecast.steps.length === 0 ? restFinding(forecast.end, pkg) : undefined) ?? forecast.end;
}

function requirementPlans({ request }: Planning, { resolution }: World): readonly RequirementPlan[] {
  if (resolution?.kind !== 'resolved') return [];
  return resolution.desired.requires.map((requirement) => {
    const name = requiredName(requirement);
    const { version, optional = false } = requirement;
    const planned = request.packages.some((one) => one.name === name);
    return { name, ...(version === undefined ? {} : { version }), optional, planned };
  });
}

function unreadableFindings({ eyes }: Planning, world: World): readonly PredictedFinding[] {
  const [first] = [...eyes.unreadable].filter(([key]) => world.releases[key] !== undefined);
  if (first === undefined) return [];
  const [key, error] = first;
  const assumption = world.revisions.length === 0 ? 'not to exist' : 'to be as the last revision left them';
  return [
    {
      code: error.code,
      severity: 'warning',
      subject: `release ${key}`,
      message: `releases cannot be read, and are taken ${assumption}: ${error.message}`,
      remedy: error.hint ?? 'plan with an account that may list Secrets in the namespaces of the components',
    },
  ];
}
