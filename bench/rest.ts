import { setTimeout } from 'node:timers/promises';
import type { OperatorWorld } from '../test/e2e/operator/world.ts';
import { type AuditRequest, isHelm, isWrite, readAudit } from './audit.ts';
import { type FleetSize, installFleet } from './fleet.ts';
import type { Measure } from './measure.ts';
import { processCost, residentMemory } from './process-cost.ts';

/** The last looks at what has just become ready are over by then. */
const SETTLE_MS = 20_000;

export interface RestOptions {
  readonly fleet: FleetSize;
  readonly restSeconds: number;
}

/** What the operator holds and does when every package is ready and nothing changes. */
export async function measureRest(
  world: OperatorWorld,
  { fleet, restSeconds }: RestOptions,
  say: (line: string) => void,
): Promise<readonly Measure[]> {
  await installFleet(world, fleet);
  const pid = world.operatorPid ?? 0;
  const busy = residentMemory(pid);
  say(`${String(fleet.packages)} packages are ready; looking at the operator at rest for ${String(restSeconds)} s …`);
  await setTimeout(SETTLE_MS);
  const since = Date.now();
  const before = processCost(pid);
  await setTimeout(restSeconds * 1000);
  const after = processCost(pid);
  const memory = residentMemory(pid);
  const until = Date.now();
  const requests = (await readAudit(world.plane.auditLog ?? '')).filter(({ user }) => user === 'kubepkg');
  const idle = requests.filter(({ received }) => received >= since && received <= until);
  for (const request of idle.filter((each) => !isOfLease(each))) say(`at rest: ${request.verb} ${request.uri}`);
  const ready = `${String(fleet.packages)} packages ready`;
  return [
    { what: 'memory of the operator, peak while it installs', value: memory.peakMiB, unit: 'MiB', limit: 200 },
    { what: `memory, ${ready}`, value: busy.nowMiB, unit: 'MiB', limit: 200 },
    { what: `memory, ${ready}, at rest`, value: memory.nowMiB, unit: 'MiB', limit: 200 },
    { what: 'watches at rest', value: openWatches(requests), unit: 'count' },
    { what: 'helm processes at rest', value: idle.filter(isVersionOfHelm).length, unit: 'count', limit: 0 },
    { what: 'CPU of ended children at rest', value: after.childrenMs - before.childrenMs, unit: 'ms', limit: 0 },
    {
      what: 'writes at rest, the Lease aside',
      value: idle.filter((each) => isWrite(each) && !isOfLease(each)).length,
      unit: 'count',
      limit: 0,
    },
    { what: 'reads at rest', value: idle.filter((each) => !isWrite(each) && !isOfLease(each)).length, unit: 'count' },
    {
      what: 'CPU of the operator at rest, of one core',
      value: (100 * (after.ownMs - before.ownMs)) / (restSeconds * 1000),
      unit: '%',
      limit: 1,
    },
  ];
}

function isOfLease({ resource }: AuditRequest): boolean {
  return resource === 'leases';
}

/** Each helm asks for the version of the server once. */
function isVersionOfHelm(request: AuditRequest): boolean {
  return isHelm(request) && request.uri.startsWith('/version');
}

function openWatches(requests: readonly AuditRequest[]): number {
  const watches = requests.filter(({ verb }) => verb === 'watch');
  return watches.reduce((open, { isBegun }) => open + (isBegun ? 1 : -1), 0);
}
