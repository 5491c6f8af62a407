import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import type { ReadyWhen } from '../../api/readiness.ts';
import { timeoutOf } from '../decide/deadline.ts';
import { isRestoring } from '../decide/views.ts';
import type { World } from '../decide/world.ts';
import type { Awaited } from './forecast.ts';

const JUDGED_LATER = 'its delivery; whether it is ready is judged once every release is back';

/** What a component is waited for with, in words that name the objects. */
export function awaitedOf(world: World, revision: PackageRevision, component: RevisionComponent): Awaited {
  const timeoutMs = timeoutOf(world.package);
  return { until: isRestoring(revision) ? [JUDGED_LATER] : readinessOf(component), timeoutMs };
}

export function hookAwaited(world: World, hook: RevisionComponent): Awaited {
  return { until: ['its Jobs to complete', ...declared(hook)], timeoutMs: timeoutOf(world.package) };
}

function readinessOf(component: RevisionComponent): readonly string[] {
  return ['every object of its release to be ready', ...declared(component)];
}

function declared({ readyWhen = [], healthCheckExprs = [], namespace }: RevisionComponent): readonly string[] {
  const checks = healthCheckExprs.map(
    ({ apiVersion, kind }) => `the health checks of ${kind || 'every kind'} in ${apiVersion}`,
  );
  return [...readyWhen.map((entry) => describeEntry(entry, namespace)), ...checks];
}

function describeEntry(
  { kind, name, condition, status, expression, stableFor, ...entry }: ReadyWhen,
  home: string,
): string {
  const object = `${kind} ${entry.namespace ?? home}/${name}`;
  const what =
    condition === undefined
      ? `${expression ?? ''} on ${object}`
      : `condition ${condition}${status === 'True' ? '' : `=${status}`} of ${object}`;
  return stableFor === undefined ? what : `${what}, for ${stableFor} without a break`;
}
