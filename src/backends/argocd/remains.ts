import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import { describeHold } from '../../helm/describe-hold.ts';
import { isCrd, isKept, readMetadata } from '../../helm/ownership.ts';
import { isTerminating } from '../../helm/remains.ts';
import { parseTime } from '../../lib/time.ts';
import type { PresentRelease, ReleaseTarget } from '../../ports/backend.ts';
import type { Clock } from '../../ports/system.ts';
import { type ApplicationFacts, readApplication, SKIP_RECONCILE } from './application.ts';
import { SILENCE_MS } from './interpret.ts';
import { readInventory } from './inventory.ts';
import { isProtected } from './protect.ts';
import type { ArgoCdTools } from './tools.ts';
import { isOurs } from './tracking.ts';

/** What the removal of an Application waits for. */
export async function describeRemoval(
  application: KubeObject,
  target: ReleaseTarget,
  tools: ArgoCdTools,
): Promise<Pick<PresentRelease, 'delivery' | 'message'>> {
  const facts = readApplication(application);
  const message = `${facts.name} is being removed`;
  const remains = await findRemains(application, target, tools);
  const [returned] = returnedOf(remains, application);
  if (returned !== undefined) {
    return { delivery: 'removing', message: `${message}: ${nameOf(refOf(returned))} is to be removed` };
  }
  const terminating = remains.filter((object) => isTerminating(object));
  const held = (await describeHold(terminating, tools.cluster)) ?? silenceOf(facts, remains, tools.clock);
  return { delivery: 'draining', message: held === undefined ? message : `${message}: ${held}` };
}

/** Made after Argo CD was told to remove everything: it looks again only when all that it deleted has gone. */
export async function findReturned(
  application: KubeObject,
  target: ReleaseTarget,
  tools: ArgoCdTools,
): Promise<readonly KubeObject[]> {
  return returnedOf(await findRemains(application, target, tools), application);
}

function returnedOf(remains: readonly KubeObject[], { metadata }: KubeObject): readonly KubeObject[] {
  const deletedAt = parseTime(metadata.deletionTimestamp ?? '');
  return remains.filter(
    (object) => !isTerminating(object) && parseTime(object.metadata.creationTimestamp ?? '') >= deletedAt,
  );
}

/** Nothing is being deleted: the controller does not look, or cannot. */
function silenceOf(
  { isPaused, deletedAt = '', deletionErrors }: ApplicationFacts,
  [standing]: readonly KubeObject[],
  clock: Clock,
): string | undefined {
  if (isPaused) return `it is paused by its annotation ${SKIP_RECONCILE}`;
  if (clock.now() - parseTime(deletedAt) < SILENCE_MS) return undefined;
  if (deletionErrors.length > 0) return `Argo CD says: ${deletionErrors.join('; ')}`;
  const what = standing === undefined ? 'has not let go of it' : `has not removed ${nameOf(refOf(standing))}`;
  return `Argo CD's application controller ${what} since ${deletedAt}: is it running?`;
}

/** Objects that Argo CD deletes with the Application, and that are there still. */
async function findRemains(
  application: KubeObject,
  target: ReleaseTarget,
  { cluster, store }: ArgoCdTools,
): Promise<readonly KubeObject[]> {
  const remains: KubeObject[] = [];
  const { every } = await readInventory(application, store);
  for (const ref of every.filter((candidate) => !isCrd(candidate))) {
    const live = await readMetadata(ref, cluster);
    if (live === undefined || !isOurs(live, target)) continue;
    if (isTerminating(live) || !(isKept(live) || isProtected(live, 'Delete=false'))) remains.push(live);
  }
  return remains;
}
