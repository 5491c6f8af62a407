import { KubepkgError } from '../../api/errors.ts';
import { isTaken } from '../../domain/release/observation.ts';
import type { DesiredRelease, PresentRelease, ReleaseObservation } from '../../ports/backend.ts';
import { interpretAnyones, interpretHeads, type RecordHead } from '../../helm/interpret.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';

export type DeliveryStep =
  | { readonly kind: 'run'; readonly mode: DeliveryMode }
  /** This very attempt has been delivered already. */
  | { readonly kind: 'done' }
  | { readonly kind: 'refused' | 'failed'; readonly error: KubepkgError };

/** How a release is delivered over what is there at this moment; what was decided on earlier must still hold. */
export function chooseDelivery(
  release: DesiredRelease,
  decidedOn: ReleaseObservation,
  heads: readonly RecordHead[],
): DeliveryStep {
  const name = `release ${release.namespace}/${release.releaseName}`;
  const live = interpretHeads(release, heads);
  if (isDelivered(live, release.token)) return { kind: 'done' };
  if (changed(decidedOn, live)) return failed('ApiConflict', `${name} changed since it was looked at`);
  if (live.state === 'foreign' && isTaken(live, release)) return refused(live.message);
  const standing = interpretAnyones(heads);
  switch (standing.state) {
    case 'absent':
      return { kind: 'run', mode: 'install' };
    case 'unknown':
      return failed('ApiConflict', `${name} cannot be judged: ${standing.message}`);
    case 'present':
      return over(name, standing);
  }
}

function over(name: string, live: PresentRelease): DeliveryStep {
  if (live.delivery === 'pending' || live.delivery === 'removing') {
    return failed('ReleaseLocked', `${name} is locked: ${live.message}`);
  }
  return { kind: 'run', mode: live.everDelivered ? 'upgrade' : 'replace' };
}

function isDelivered(live: ReleaseObservation, token: string): boolean {
  return live.state === 'present' && live.delivery === 'delivered' && live.token === token;
}

/** An observation is out of date when another record is the newest, or the same one went on. */
function changed(before: ReleaseObservation, live: ReleaseObservation): boolean {
  if (before.state !== live.state) return true;
  if (before.state !== 'present' || live.state !== 'present') return false;
  return before.revision !== live.revision || before.delivery !== live.delivery;
}

function refused(message: string): DeliveryStep {
  const hint = 'remove it, choose another release name, or adopt it with the annotation kubepkg.dev/adopt';
  return { kind: 'refused', error: new KubepkgError('OwnershipConflict', message, { hint }) };
}

function failed(code: 'ApiConflict' | 'ReleaseLocked', message: string): DeliveryStep {
  return { kind: 'failed', error: new KubepkgError(code, message) };
}
