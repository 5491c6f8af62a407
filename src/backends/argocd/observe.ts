import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { ReleaseObservation, ReleaseTarget } from '../../ports/backend.ts';
import { applicationRef } from './application.ts';
import { describeRemoval } from './remains.ts';
import { interpret } from './interpret.ts';
import type { ArgoCdTools } from './tools.ts';

/** A live look at one release. */
export async function observe(target: ReleaseTarget, tools: ArgoCdTools): Promise<ReleaseObservation> {
  return observeWith(target, await tools.cluster.read(applicationRef(target, tools.options.namespace)), tools);
}

/** One read where there is an Application; otherwise the release records are asked whether helm has the release. */
export async function observeWith(
  target: ReleaseTarget,
  application: KubeObject | undefined,
  tools: ArgoCdTools,
): Promise<ReleaseObservation> {
  if (application === undefined) return observeRecords(target, tools);
  const observation = interpret(target, application, tools.clock.now());
  if (observation.state !== 'present' || observation.delivery !== 'draining') return observation;
  return { ...observation, ...(await describeRemoval(application, target, tools)) };
}

/** P21: a release that helm has runs already, whoever let helm deliver it. */
async function observeRecords(target: ReleaseTarget, { store }: ArgoCdTools): Promise<ReleaseObservation> {
  const [newest] = await store.heads(target);
  if (newest === undefined || newest.status === 'uninstalled') return { state: 'absent' };
  const owner = newest.labels[LABEL.package];
  const maker = owner === undefined ? 'was made by helm, not by kubepkg' : `was delivered by helm for package ${owner}`;
  return { state: 'foreign', message: `release ${target.namespace}/${target.releaseName} ${maker}` };
}
