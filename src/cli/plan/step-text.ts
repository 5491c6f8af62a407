import type { Awaited, ForeseenStep } from '../../domain/plan/forecast.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { formatAge } from '../text/age.ts';

const WHY_REMOVED: Readonly<Record<Extract<ForeseenStep, { kind: 'remove' }>['why'], string>> = {
  moved: 'it has another place now',
  dropped: 'the new version does not have it',
  'hook-done': 'the hook has ended',
  undone: 'only what is rolled back had it',
  leftover: 'a former attempt left it',
  package: 'the package goes',
};

/** One line for one step; what it waits for is said apart. */
export function stepText(step: ForeseenStep): string {
  switch (step.kind) {
    case 'fetch':
      return `fetch and verify the charts of ${step.version}: ${step.charts.join(', ')}`;
    case 'begin':
      return `begin revision ${String(step.revision)} (${step.version})${restoredText(step.restoredFrom)}`;
    case 'hook':
      return `run hook ${step.component} in ${step.release}, from ${step.fromVersion} to ${step.toVersion}`;
    case 'install':
    case 'upgrade':
      return `${step.kind} ${step.component} as ${step.release}${again(step.attempt)}`;
    case 'keep':
      return `leave ${step.component} as it is: ${step.release} is what is wanted already`;
    case 'remove':
      return `remove ${step.component} at ${step.release}: ${WHY_REMOVED[step.why]}${leftBehind(step)}`;
    case 'commit':
      return `revision ${String(step.revision)} (${step.version}) is applied`;
    case 'fail':
      return `revision ${String(step.revision)} (${step.version}) fails: ${step.message}`;
    case 'claim-crds':
    case 'release-crds':
    case 'delete-crds':
    case 'unlock':
    case 'stop':
    case 'hand-back':
    case 'replace-pod':
    case 'take-over':
    case 'forget':
    case 'restore-namespace':
      return rareText(step);
    default:
      return assertNever(step, 'step');
  }
}

type Rare = Exclude<
  ForeseenStep,
  { kind: 'fetch' | 'begin' | 'hook' | 'install' | 'upgrade' | 'keep' | 'remove' | 'commit' | 'fail' }
>;

function rareText(step: Rare): string {
  switch (step.kind) {
    case 'claim-crds':
      return `claim CustomResourceDefinitions${step.from.length === 0 ? '' : ` from ${step.from.join(', ')}`}: ${step.crds.join(', ')}`;
    case 'release-crds':
      return `let go of CustomResourceDefinitions, which stay: ${step.crds.join(', ')}`;
    case 'delete-crds':
      return `delete CustomResourceDefinitions, with all their objects: ${step.crds.join(', ')}`;
    case 'unlock':
      return `unlock ${step.component}: an interrupted delivery left ${step.release} locked`;
    case 'stop':
      return `stop the delivery of ${step.component} to ${step.release}`;
    case 'hand-back':
      return `put in order what deliveries of ${step.component} put aside or left at ${step.release}`;
    case 'replace-pod':
      return `delete a pod of ${step.component} that its StatefulSet would keep for ever`;
    case 'take-over':
      return `take over ${step.revision} from an earlier implementation`;
    case 'forget':
      return `forget ${step.revision}, which is beyond the limit of the history`;
    case 'restore-namespace':
      return `take back the privileged level of namespace ${step.namespace}`;
    default:
      return assertNever(step, 'step');
  }
}

function restoredText(from: number | undefined): string {
  return from === undefined ? '' : `, which restores revision ${String(from)}`;
}

function again(attempt: number): string {
  return attempt > 1 ? `, attempt ${String(attempt)}` : '';
}

/** Of a hook there is nothing to keep. */
function leftBehind({ keepsData, why }: Extract<ForeseenStep, { kind: 'remove' }>): string {
  if (!keepsData || why === 'hook-done') return '';
  return '; its PersistentVolumeClaims and CustomResourceDefinitions stay';
}

/** What a step waits for before the next one begins, and how long at most. */
export function awaitText(step: ForeseenStep): string | undefined {
  if (!('awaits' in step)) return undefined;
  const { until, timeoutMs }: Awaited = step.awaits;
  return `waits for ${until.join(', and ')}; ${formatAge(timeoutMs)} at most`;
}
