import { KubepkgError } from '../../api/errors.ts';
import type { BackendAction, ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import { failureOf } from '../../helm/errors.ts';
import { interpretHeads, type RecordHead } from '../../helm/interpret.ts';
import { readMetadata, removeExactly, unlessGone } from '../../helm/ownership.ts';
import { prepareUninstall } from '../../helm/prepare-uninstall.ts';
import { isTerminating } from '../../helm/remains.ts';
import type { HelmTools } from './tools.ts';
import { translateUninstall } from './translate.ts';

type Uninstall = Extract<BackendAction, { kind: 'uninstall' }>;

/**
 * One step of a removal, by what the newest record says. Until it says that the release was uninstalled, helm is run;
 * from then on its record tells which objects have to go, and it is removed itself once they are gone.
 */
export async function uninstall(action: Uninstall, signal: AbortSignal, tools: HelmTools): Promise<SubmitOutcome> {
  const { target, keepData = false } = action;
  const heads = await tools.store.heads(target);
  const live = interpretHeads(target, heads);
  const newest = heads[0];
  if (newest === undefined) return { kind: 'accepted' };
  if (live.state === 'foreign') return { kind: 'refused', error: new KubepkgError('OwnershipConflict', live.message) };
  if (newest.status !== 'uninstalled') return runHelm(target, { heads, keepData, signal }, tools);
  const remains = await tools.store.remains(target, newest);
  for (const object of remains.filter((candidate) => !isTerminating(candidate))) {
    await removeExactly(object, tools.cluster);
  }
  if (remains.length === 0) await removeRecords(heads, tools);
  return { kind: 'accepted' };
}

interface Removal {
  readonly heads: readonly RecordHead[];
  readonly keepData: boolean;
  readonly signal: AbortSignal;
}

async function runHelm(
  target: ReleaseTarget,
  { heads, keepData, signal }: Removal,
  tools: HelmTools,
): Promise<SubmitOutcome> {
  await tools.program.version();
  await prepareUninstall(target, { heads, keepData }, tools);
  const hooks = !(await isEnding(target.namespace, tools));
  const result = await tools.program.run(translateUninstall(target, { hooks }), { signal });
  if (result.exitCode === 0 || /release: not found/.test(result.stderr)) return { kind: 'accepted' };
  const names = [target.namespace, target.releaseName, target.component, target.package];
  const context = { release: `${target.namespace}/${target.releaseName}`, values: {}, names, paths: {} };
  return { kind: 'failed', error: failureOf(result, { ...context, aborted: signal.aborted }) };
}

/** Nothing can be created in a namespace that is being deleted, a hook least of all. */
async function isEnding(namespace: string, { cluster }: HelmTools): Promise<boolean> {
  const object = await readMetadata({ apiVersion: 'v1', kind: 'Namespace', name: namespace }, cluster);
  return object !== undefined && isTerminating(object);
}

/** The newest last: as long as one is left, it says that the release was uninstalled. */
async function removeRecords(heads: readonly RecordHead[], { cluster }: HelmTools): Promise<void> {
  for (const { ref, uid } of [...heads].reverse()) {
    await unlessGone(() => cluster.write({ verb: 'delete', ref, uid }));
  }
}
