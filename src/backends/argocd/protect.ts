import { type KubeObject, refOf } from '../../api/kube.ts';
import { unlessGone } from '../../helm/ownership.ts';
import type { Cluster } from '../../ports/cluster.ts';

const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/** Not to be pruned, nor deleted with its Application; that it is to be confirmed shows in the status of that one. */
export const STAYS = ['Prune=false', 'Delete=false', 'Delete=confirm'];

/** What Argo CD must not do to an object, beside what is there of such options already. */
export async function protect(object: KubeObject, options: readonly string[], cluster: Cluster): Promise<void> {
  const present = optionsOf(object);
  const missing = options.filter((option) => !present.includes(option));
  if (missing.length > 0) await setOptions(object, [...present, ...missing], cluster);
}

/** What was marked to stay, since it went, and has come back: it goes with its release again. */
export async function unmark(object: KubeObject, cluster: Cluster): Promise<void> {
  const present = optionsOf(object);
  const isMarked = STAYS.every((option) => present.includes(option));
  if (isMarked)
    await setOptions(object, [...present.filter((option) => !STAYS.includes(option)), 'Prune=false'], cluster);
}

async function setOptions(object: KubeObject, options: readonly string[], cluster: Cluster): Promise<void> {
  const { uid } = object.metadata;
  const annotations = { [SYNC_OPTIONS]: options.join(',') };
  // The UID is named so that an object which took its place meanwhile is left alone.
  const patch = { metadata: { ...(uid === undefined ? {} : { uid }), annotations } };
  await unlessGone(() => cluster.write({ verb: 'merge-patch', ref: refOf(object), patch }));
}

export function isProtected(object: KubeObject, option: string): boolean {
  return optionsOf(object).includes(option);
}

function optionsOf({ metadata }: KubeObject): readonly string[] {
  const text = metadata.annotations?.[SYNC_OPTIONS] ?? '';
  return text
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '');
}
