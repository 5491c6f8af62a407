import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import { HELD_REASONS } from '../../api/reasons.ts';
import { lastApplied } from '../decide/views.ts';
import type { World } from '../decide/world.ts';
import type { Forecast } from './forecast.ts';
import type { PackagePlan } from './plan.ts';

/** From which version to which, and why to that one. */
export function versionPlan(world: World, forecast: Forecast): Pick<PackagePlan, 'change' | 'version'> {
  const from = lastApplied(world)?.spec.version;
  const to = versionTo(world, forecast, from);
  const version = {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    why: whyOf(world, forecast),
  };
  return { change: changeOf(world, forecast, { from, to }), version };
}

function versionTo(world: World, forecast: Forecast, from: string | undefined): string | undefined {
  const isBegun = forecast.steps.some(({ kind }) => kind === 'begin' || kind === 'commit');
  if (isBegun) return lastApplied(forecast.world)?.spec.version;
  if (from !== undefined && HELD_REASONS.includes(forecast.end.reason)) return from;
  const wanted = world.resolution?.kind === 'resolved' ? world.resolution.desired.version : undefined;
  return wanted ?? from;
}

interface Versions {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

function changeOf(world: World, { steps }: Forecast, { from, to }: Versions): PackagePlan['change'] {
  if (world.package.metadata.deletionTimestamp !== undefined) return 'remove';
  if (from === undefined) return 'install';
  const step = to === undefined ? 0 : compare(from, to);
  if (step !== 0) return step > 0 ? 'upgrade' : 'downgrade';
  return steps.length === 0 ? 'keep' : 'change';
}

function compare(from: string, to: string): number {
  const [old, next] = [parseVersion(from), parseVersion(to)];
  if (old.kind !== 'version' || next.kind !== 'version') return 0;
  return compareVersions(next.version, old.version);
}

function whyOf({ resolution, package: pkg }: World, { steps }: Forecast): string {
  const { name } = pkg.metadata;
  const restored = steps.findLast((step) => step.kind === 'begin' && step.restoredFrom !== undefined);
  if (restored?.kind === 'begin') return `revision ${String(restored.restoredFrom)} is restored`;
  if (resolution === undefined) return `there is no PackageSource ${name}`;
  if (resolution.kind === 'unresolvable') return resolution.message;
  const constraint = pkg.spec.version === undefined ? '' : `, which spec.version ${pkg.spec.version} admits`;
  const origin = pkg.spec.repository === undefined ? '' : ` from repository ${pkg.spec.repository}`;
  return `PackageSource ${name} has version ${resolution.desired.version}${origin}${constraint}`;
}
