import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import { asNumber, at } from '../../lib/json.ts';
import { conditionHolds, findCondition } from './conditions.ts';
import { countOf, outOf, textOf } from './fields.ts';
import { podQueries } from './pod-queries.ts';
import { failed, type KindRule, progressing, ready, type Verdict } from './verdict.ts';

/** Reason of the verdict about a Job that kubepkg has stopped itself. */
export const STOPPED = 'Stopped';

/** Judged by its conditions alone: counters pass through any value on the way to either end. */
export const job: KindRule = {
  alwaysObserved: false,
  assess(object, context) {
    const failure = findCondition(object, 'Failed') ?? findCondition(object, 'FailureTarget');
    if (failure !== undefined) {
      return { ...failed(failure.reason === '' ? 'Failed' : failure.reason, failureText(failure)), final: true };
    }
    if (conditionHolds(object, 'Complete')) return ready('completed');
    if (at(object, 'spec', 'suspend') === true) return suspended(object);
    if (context.options.jobs === 'Started' && hasStarted(object)) return ready(`started, ${runText(object)}`);
    return progressing('Running', runText(object));
  },
  related: podQueries,
};

function failureText(failure: { readonly reason: string; readonly message: string }): string {
  const parts = ['failed', failure.reason, failure.message].filter((part) => part !== '');
  return parts.join(': ');
}

/** Still only waiting by the rules: the failure that it was stopped for is the verdict about its hook. */
function suspended({ metadata }: KubeObject): Verdict {
  const why = metadata.annotations?.[ANNOTATION.stoppedFor];
  if (why === undefined) return progressing('Suspended', 'suspended (spec.suspend), so it does not run');
  const cause = why === 'DeadlineExceeded' ? 'it had not completed at the deadline' : 'its hook had failed';
  return progressing(STOPPED, `stopped by kubepkg (spec.suspend), as ${cause}`);
}

function hasStarted(object: KubeObject): boolean {
  const pods = countOf(object, ['status', 'active']) + countOf(object, ['status', 'succeeded']);
  return textOf(object, 'status', 'startTime') !== '' && pods > 0;
}

function runText(object: KubeObject): string {
  const [active, done, failures] = ['active', 'succeeded', 'failed'].map((field) => countOf(object, ['status', field]));
  const wanted = asNumber(at(object, 'spec', 'completions'));
  const completed = wanted === undefined ? `${String(done)} completed` : outOf(done ?? 0, wanted, 'completed');
  return `${completed}, ${String(active)} pods active, ${String(failures)} failed`;
}
