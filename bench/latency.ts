import { at } from '../src/lib/json.ts';
import type { KubeObject } from '../src/api/kube.ts';
import { deploymentChart } from '../test/e2e/operator/charts.ts';
import { condition, isReady, type OperatorWorld } from '../test/e2e/operator/world.ts';
import { atOnce, numbered } from './at-once.ts';
import { type AuditRequest, isHelm, readAudit } from './audit.ts';
import type { Measure } from './measure.ts';
import { chainSource } from './packages.ts';
import type { Sizes } from './sizes.ts';
import { percentile } from './statistics.ts';

const NAMESPACE = 'bench-latency';

interface Step {
  /** Release whose Deployment becomes ready. */
  readonly after: string;
  readonly next: string;
  /** Package that the next release is of. */
  readonly pkg: string;
}

/** From the moment at which an object's status says that it is ready to the next step of the operator. */
export async function measureLatency(
  world: OperatorWorld,
  { chains, components, pairs }: Sizes['latency'],
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  const tree = await world.push('bench/latency', { app: deploymentChart() });
  const seen = watchDeployments(world);
  const names = numbered('c', components);
  const steps: Step[] = [];
  for (const pkg of numbered('chain-', chains)) {
    await install(world, pkg, chainSource(tree, pkg, { namespace: NAMESPACE, components: names }));
    steps.push(
      ...names.slice(1).map((next, index) => ({ after: `${pkg}-c${String(index)}`, next: `${pkg}-${next}`, pkg })),
    );
  }
  say(`${String(chains)} packages with ${String(components)} components each are installed, one after another`);
  const bonds: Step[] = [];
  await atOnce(1, numbered('', pairs), async (number) => {
    bonds.push(await installPair(world, tree, number));
  });
  say(`${String(pairs)} packages have waited for another one`);
  seen.stop();
  const requests = await readAudit(world.plane.auditLog ?? '');
  return [
    ...measuresOf('component ready → next component', timesOf(requests, steps, seen.ready), { p50: 100, p99: 500 }),
    ...measuresOf('required package ready → dependent', timesOf(requests, bonds, seen.ready), { p99: 1000 }),
  ];
}

async function install(
  world: OperatorWorld,
  pkg: string,
  source: Parameters<OperatorWorld['applySource']>[1],
): Promise<void> {
  await world.applySource(pkg, source);
  await world.applyPackage(pkg);
  await world.untilPackage(pkg, isReady);
}

/** The dependent is there, and waits, before what it requires is asked for. */
async function installPair(world: OperatorWorld, tree: string, number: string): Promise<Step> {
  const needed = `needed-${number}`;
  const dependent = `dependent-${number}`;
  const base = { namespace: NAMESPACE, components: ['c0'] };
  await world.applySource(dependent, chainSource(tree, dependent, { ...base, requires: needed }));
  await world.applyPackage(dependent);
  await world.untilPackage(dependent, (pkg) => condition(pkg, 'Ready') !== undefined);
  await install(world, needed, chainSource(tree, needed, base));
  await world.untilPackage(dependent, isReady);
  return { after: `${needed}-c0`, next: `${dependent}-c0`, pkg: dependent };
}

interface Seen {
  /** When the event that says so reached this process, by the name of the Deployment. */
  readonly ready: ReadonlyMap<string, number>;
  stop(): void;
}

function watchDeployments(world: OperatorWorld): Seen {
  const ready = new Map<string, number>();
  const selection = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: NAMESPACE };
  const subscription = world.cluster.watch(selection, (event) => {
    if (event.type !== 'set' || ready.has(event.object.metadata.name) || !isAvailable(event.object)) return;
    ready.set(event.object.metadata.name, performance.timeOrigin + performance.now());
  });
  return {
    ready,
    stop: () => {
      subscription.stop();
    },
  };
}

function isAvailable(deployment: KubeObject): boolean {
  return (
    at(deployment, 'status', 'availableReplicas') === 1 &&
    at(deployment, 'status', 'observedGeneration') === deployment.metadata.generation
  );
}

interface Times {
  /** Until the journal says that the next component is submitted. */
  readonly submitted: readonly number[];
  /** Until helm asks the API server about that release. */
  readonly delivering: readonly number[];
}

function timesOf(requests: readonly AuditRequest[], steps: readonly Step[], seen: ReadonlyMap<string, number>): Times {
  const times = steps.map((step) => {
    const arrival = seen.get(step.after) ?? Number.NaN;
    const ready = lastBefore(requests, arrival, (each) => isStatusOf(each, 'deployments', step.after));
    const selector = `name%3D${step.next}%2C`;
    const helm = requests.find((each) => isHelm(each) && each.uri.includes(selector))?.received ?? Number.NaN;
    const submitted = lastBefore(requests, helm, (each) => isStatusOf(each, 'packagerevisions', `${step.pkg}-1`));
    return { submitted: submitted - ready, delivering: helm - ready };
  });
  if (times.some(({ submitted }) => Number.isNaN(submitted))) {
    throw new Error('a step of a package was not found in the audit log of the API server');
  }
  return {
    submitted: times.map(({ submitted }) => submitted),
    delivering: times.map(({ delivering }) => delivering),
  };
}

function isStatusOf(request: AuditRequest, resource: string, name: string): boolean {
  return request.resource === resource && request.subresource === 'status' && request.name === name;
}

function lastBefore(
  requests: readonly AuditRequest[],
  moment: number,
  holds: (request: AuditRequest) => boolean,
): number {
  return requests.findLast((each) => each.received <= moment && holds(each))?.received ?? Number.NaN;
}

function measuresOf(
  what: string,
  { submitted, delivering }: Times,
  limits: { readonly p50?: number; readonly p99: number },
): readonly Measure[] {
  const { p50, p99 } = limits;
  return [
    {
      what: `${what} submitted, p50 of ${String(submitted.length)}`,
      value: percentile(submitted, 50),
      unit: 'ms',
      ...(p50 === undefined ? {} : { limit: p50 }),
    },
    { what: `${what} submitted, p99`, value: percentile(submitted, 99), unit: 'ms', limit: p99 },
    { what: `${what}: until helm asks the API server, p50`, value: percentile(delivering, 50), unit: 'ms' },
  ];
}
