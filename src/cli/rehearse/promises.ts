import type { DesiredPackage } from '../../domain/resolve/desired.ts';
import type { Ending, RehearsalResult } from './rehearsal-case.ts';

type Seen = Omit<RehearsalResult, 'broken'>;

export interface Promised {
  readonly desired: DesiredPackage;
  /** How it ends is up to a scenario. */
  readonly isScripted: boolean;
}

/** Where what was seen is not what is promised; empty: it ended as it has to. */
export function brokenPromises(seen: Seen, { desired, isScripted }: Promised): readonly string[] {
  const ending = isScripted ? [] : endsAsPromised(seen, desired);
  return [...ending, ...leavesAsPromised(seen), ...runsHooksOnce(seen)];
}

function endsAsPromised(seen: Seen, desired: DesiredPackage): readonly string[] {
  const wanted = promisedEnding(seen, desired);
  return seen.ending === wanted ? [] : [`it had to be ${wanted}, and is ${seen.ending} (${seen.reason})`];
}

/** P10, P11: a failed upgrade is undone where that is safe; a hook that fails leaves nothing that could be undone. */
function promisedEnding({ case: { failures }, struck }: Seen, { hooks, rollbackSafe }: DesiredPackage): Ending {
  const failing = failures.filter(({ component }) => struck.includes(component));
  if (failing.length === 0) return 'applied';
  const isHook = failing.some(({ component }) => hooks.some(({ name }) => name === component));
  return isHook || !rollbackSafe ? 'stopped' : 'rolled back';
}

/** A package that is rolled back is as it was, whole; and behind a hook that fails nothing has changed. */
function leavesAsPromised({ case: { failures }, ending, changed }: Seen): readonly string[] {
  const isUntouched = ending === 'stopped' && failures.some(({ kind }) => kind === 'hook');
  if (ending !== 'rolled back' && !isUntouched) return [];
  return changed.map((name) => `${name} is not as it was before`);
}

/** P16. */
function runsHooksOnce({ hookRuns }: Seen): readonly string[] {
  return Object.entries(hookRuns)
    .filter(([, runs]) => runs > 1)
    .map(([hook, runs]) => `hook ${hook} ran ${String(runs)} times`);
}
