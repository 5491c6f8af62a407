import { chartOf, fullName, newestFirst, previousOf, withObserved } from './history.ts';
import { awaitReady, helmPlace, type Request, settle, timeoutArg, Untraceable } from './delivery.ts';
import type { HelmResult } from './helm-runner.ts';
import { snapshotOf } from './records.ts';
import type { Snapshot } from './status.ts';
import { summarize } from './summarize.ts';
import type { Surroundings } from './surroundings.ts';
import { runUninstall } from './uninstall.ts';

/** Back to the release before. The failed one stays what was attempted last [07, 32]. */
export async function rollBack(request: Request, around: Surroundings): Promise<void> {
  const { copy } = request;
  const target = previousOf(copy.status.history ?? []);
  if (target === undefined) throw new Error('missing target release for rollback: required to rollback');
  const result = await runRollback(target, request, around);
  if (result.recorded !== undefined) await observeRollback(result, request, around);
  await around.gate.sleep(around.modes().lateStatusMs);
  const subject = `Helm rollback to previous release ${fullName(target)} with chart ${chartOf(target)}`;
  if (result.failure === undefined) {
    const message = `${subject} succeeded`;
    copy.mark({ type: 'Remediated', status: 'True', reason: 'RollbackSucceeded', message });
    await around.events.write(copy.object, { type: 'Normal', reason: 'RollbackSucceeded', message });
  } else {
    const message = `${subject} failed: ${result.failure}`;
    copy.update({ failures: (copy.status.failures ?? 0) + 1 });
    copy.mark({ type: 'Remediated', status: 'False', reason: 'RollbackFailed', message });
    await around.events.write(copy.object, { type: 'Warning', reason: 'RollbackFailed', message });
  }
  summarize(copy);
  if (result.failure !== undefined && result.recorded === undefined) throw new Untraceable(result.failure);
}

async function runRollback(target: Snapshot, { copy, checks }: Request, around: Surroundings): Promise<HelmResult> {
  const { spec } = copy;
  const { shortReleaseName: name, releaseNamespace: namespace, rollback: action } = spec;
  const result = await around.helm.run({
    args: [
      ...['rollback', name, String(target.version), '--namespace', namespace],
      ...['--history-max', String(spec.maxHistory), '--timeout', timeoutArg(action, around)],
      ...['--server-side=true', '--force-conflicts'],
      ...(action.hooks ? [] : ['--no-hooks']),
    ],
    ...helmPlace(copy, around),
    ready: (pending) => awaitReady({ action, pending, checks, namespace }, around),
    sabotage: undefined,
  });
  if (result.wasCutOff) await settle('Rollback', result, { copy, around });
  return result;
}

/**
 * All that the rollback wrote becomes `rollback`: the new release, which has no ociDigest, and the former deployed one
 * [07: v3, v1], or, when it fails, the one that it was to replace [32: v3, v2].
 */
async function observeRollback({ failure }: HelmResult, { copy }: Request, around: Surroundings): Promise<void> {
  const { storageNamespace, shortReleaseName: name } = copy.spec;
  const history = copy.status.history ?? [];
  const failed = newestFirst(history)[0];
  const stored = await around.records.all({ storageNamespace, name });
  const written = stored.filter(({ record }, index) => {
    if (index === 0) return true;
    const known = history.find(({ version }) => version === record.version);
    if (failure !== undefined) return record.version === failed?.version;
    return known !== undefined && known.status !== record.status;
  });
  const observed = written.map(({ record }) => {
    const known = history.find(({ version }) => version === record.version);
    return snapshotOf(record, { action: 'rollback', ociDigest: known?.ociDigest });
  });
  copy.update({ history: newestFirst(withObserved(history, observed)) });
}

/** Between two tries of an install. Ready goes on saying why the install failed [28]. */
export async function remediateByUninstall({ copy }: Request, around: Surroundings): Promise<void> {
  const history = copy.status.history ?? [];
  const latest = newestFirst(history)[0];
  if (latest === undefined) throw new Error('no latest release: required to uninstall');
  const { result, observed } = await runUninstall(copy, around, 'uninstall-remediation');
  if (observed !== undefined) copy.update({ history: withObserved(history, [observed]) });
  await around.gate.sleep(around.modes().lateStatusMs);
  const subject = `Helm uninstall remediation for release ${fullName(latest)} with chart ${chartOf(latest)}`;
  if (result.failure === undefined) {
    const message = `${subject} succeeded`;
    copy.mark({ type: 'Remediated', status: 'True', reason: 'UninstallSucceeded', message });
    await around.events.write(copy.object, { type: 'Normal', reason: 'UninstallSucceeded', message });
    return;
  }
  const message = `${subject} failed: ${result.failure}`;
  copy.update({ failures: (copy.status.failures ?? 0) + 1 });
  copy.mark({ type: 'Remediated', status: 'False', reason: 'UninstallFailed', message });
  await around.events.write(copy.object, { type: 'Warning', reason: 'UninstallFailed', message });
  throw new Untraceable(result.failure);
}
