import { nameOf, type ObjectRef } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { hasReadiness } from '../../domain/readiness/assess.ts';
import { allMembers } from '../look/package-scope.ts';
import { releaseQuery, type Sight } from '../look/sight.ts';
import type { Awaited } from '../watch/verdict.ts';

/** An object that a release holds, and that somebody has deleted. */
export interface LostObject {
  readonly component: string;
  readonly ref: ObjectRef;
  /** The record of its release has it as it was delivered. */
  readonly isRecorded: boolean;
}

const AT_ANY_RATE = { transient: true } as const;

/** In the order of the components; what may not be read is not lost. */
export async function lostObjects(
  { cluster, releases, troubles }: Sight,
  revision: PackageRevision | undefined,
): Promise<readonly LostObject[]> {
  if (revision === undefined) return [];
  const isRecorded = releases.keepsManifests(revision.spec.backend);
  const components = allMembers(revision).flatMap(({ component, part }) => (part === 'hooks' ? [] : [component]));
  const found = components.map(async (component) => {
    const what = `what belongs to component ${component.name}`;
    const items =
      (await troubles.attempt(what, () => releases.inventory(releaseQuery(revision, component)), AT_ANY_RATE)) ?? [];
    const stay = items.filter(({ mayVanish }) => mayVanish !== true);
    const missing = await Promise.all(stay.map((ref) => isMissing({ cluster, troubles }, ref)));
    return stay.filter((_ref, index) => missing[index]).map((ref) => ({ component: component.name, ref, isRecorded }));
  });
  return (await Promise.all(found)).flat();
}

async function isMissing({ cluster, troubles }: Pick<Sight, 'cluster' | 'troubles'>, ref: ObjectRef): Promise<boolean> {
  const read = async (): Promise<boolean> => (await cluster.read(ref, { metadataOnly: true })) === undefined;
  return (await troubles.attempt(nameOf(ref), read, AT_ANY_RATE)) ?? false;
}

/** `Deployment shop/web of component web`, and the others. */
export function describeLost(lost: readonly LostObject[]): string {
  return lost.map(({ component, ref }) => `${nameOf(ref)} of component ${component}`).join(', ');
}

/**
 * A release that is as it was delivered is not delivered again, so nobody puts back what was deleted from it: a revision
 * that waits for such a one waits in vain.
 */
export function lossInTheWay(
  name: string,
  token: string,
  lost: readonly LostObject[],
): NonNullable<Awaited['obstacle']> {
  return ({ revisions }) => {
    const answer = revisions.findLast(({ metadata }) => metadata.annotations?.[ANNOTATION.retry] === token);
    const accepted = (answer?.status?.components ?? []).filter(
      ({ state, attempt = 0 }) => state === 'Submitted' && attempt === 0,
    );
    const awaited = lost.filter(
      ({ component, ref }) => hasReadiness(ref) && accepted.some((one) => one.name === component),
    );
    if (answer === undefined || awaited.length === 0) return undefined;
    return {
      error: `package ${name} waits in vain: ${describeLost(awaited)} does not exist, and its release is as it was delivered, so that it is not delivered again`,
      hint: howToPutBack(name, awaited),
    };
  };
}

export function howToPutBack(name: string, lost: readonly LostObject[]): string {
  if (!lost.every(({ isRecorded }) => isRecorded))
    return 'have its Application synced; kubepkg goes on when it is there';
  const components = [...new Set(lost.map(({ component }) => component))];
  const commands = components.map(
    (component) =>
      `kubepkg get manifest ${name} ${component} -o json --show-secrets | kubectl apply --server-side -f -`,
  );
  return `put back what is missing, kubepkg goes on when it is there: ${commands.join('; ')}`;
}
