import { KubepkgError } from '../../api/errors.ts';
import type { ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import { failureOf } from './errors.ts';
import { interpretHeads } from './interpret.ts';
import { prepareUninstall } from './prepare-uninstall.ts';
import type { HelmTools } from './tools.ts';
import { translateUninstall } from './translate.ts';

/** Removes the release with its hooks; CRDs stay. Whether its objects are really gone is for the engine to see. */
export async function uninstall(target: ReleaseTarget, signal: AbortSignal, tools: HelmTools): Promise<SubmitOutcome> {
  const heads = await tools.store.heads(target);
  const live = interpretHeads(target, heads);
  if (live.state === 'absent') return { kind: 'accepted' };
  if (live.state === 'foreign') return { kind: 'refused', error: new KubepkgError('OwnershipConflict', live.message) };
  await tools.program.version();
  await prepareUninstall(target, heads, tools);
  const result = await tools.program.run(translateUninstall(target), { signal });
  if (result.exitCode === 0 || /release: not found/.test(result.stderr)) return { kind: 'accepted' };
  const names = [target.namespace, target.releaseName, target.component, target.package];
  const context = { release: `${target.namespace}/${target.releaseName}`, values: {}, names, paths: {} };
  return { kind: 'failed', error: failureOf(result, { ...context, aborted: signal.aborted }) };
}
