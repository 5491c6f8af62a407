import type { PresentRelease, ReleaseTarget, SubmitOutcome } from '../../ports/backend.ts';
import { factsOf } from './facts.ts';
import { helmReleaseRef, isOwn, STAMP } from './names.ts';
import { look, movedOn } from './observe.ts';
import { isToldToStop } from './situation.ts';
import type { FluxTools } from './tools.ts';

/**
 * Suspends the HelmRelease of an attempt that may still go on, which the attempt's own token says. What helm-controller
 * is at is not cut off by that, but nothing is begun any more; the next delivery resumes it.
 */
export async function stop(target: ReleaseTarget, observed: PresentRelease, tools: FluxTools): Promise<SubmitOutcome> {
  const { helmRelease, observation: live } = await look(target, tools);
  if (helmRelease === undefined || !isOwn(helmRelease, target) || live.state !== 'present') return { kind: 'accepted' };
  const mayGoOn = live.delivery === 'underway' || live.goesOn === true;
  const facts = factsOf(helmRelease);
  if (!mayGoOn || isToldToStop(facts)) return { kind: 'accepted' };
  if (live.token !== observed.token) return { kind: 'failed', error: movedOn(target) };
  const { resourceVersion } = helmRelease.metadata;
  const annotations = { [STAMP.stopped]: facts.stamps.attempt ?? '' };
  const patch = { metadata: { resourceVersion, annotations }, spec: { suspend: true } };
  await tools.cluster.write({ verb: 'merge-patch', ref: helmReleaseRef(target), patch });
  return { kind: 'accepted' };
}
