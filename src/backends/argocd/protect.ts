import { type KubeObject, refOf } from '../../api/kube.ts';
import { unlessGone } from '../../helm/ownership.ts';
import type { Cluster } from '../../ports/cluster.ts';

const SYNC_OPTIONS = 'argocd.argoproj.io/sync-options';

/** What Argo CD must not do to an object, beside what is there of such options already. */
export async function protect(object: KubeObject, options: readonly string[], cluster: Cluster): Promise<void> {
  const present = optionsOf(object);
  const missing = options.filter((option) => !present.includes(option));
  if (missing.length === 0) return;
  const { uid } = object.metadata;
  const annotations = { [SYNC_OPTIONS]: [...present, ...missing].join(',') };
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
