import { type ObjectRef, refKey } from '../api/kube.ts';
import { asArray, asString, at } from '../lib/json.ts';
import { annotationIn, type ManifestDocument, manifestDocuments } from './manifest.ts';
import type { ReleaseRecord } from './record.ts';
import type { ReleaseStore } from './release-store.ts';
import type { DeliveryMode } from './helm-call.ts';

/** The annotation that makes an object a hook of helm's. */
export const HOOK = 'helm.sh/hook';

/** Hooks that a delivery runs, and the ones that the removal will run; a test or a rollback by helm never happens. */
const EVENTS: Readonly<Record<DeliveryMode, readonly string[]>> = {
  install: ['pre-install', 'post-install', 'pre-delete', 'post-delete'],
  replace: ['pre-install', 'post-install', 'pre-delete', 'post-delete'],
  upgrade: ['pre-upgrade', 'post-upgrade', 'pre-delete', 'post-delete'],
};

/** The hooks among what helm rendered. */
export function hookDocuments(rendered: string, mode: DeliveryMode): readonly ManifestDocument[] {
  const events = EVENTS[mode];
  return manifestDocuments(rendered).filter(
    (document) => document.text.includes(HOOK) && eventsOf(document).some((event) => events.includes(event)),
  );
}

/** The hooks that a record names, by the keys of their objects. */
export async function recordedHooks(
  { raw, namespace }: ReleaseRecord,
  store: ReleaseStore,
): Promise<ReadonlySet<string>> {
  const manifests = asArray(raw['hooks']).map((hook) => asString(at(hook, 'manifest')) ?? '');
  const documents = manifests.flatMap((manifest) => manifestDocuments(manifest));
  const placed: readonly { readonly ref: ObjectRef }[] = await store.placed(documents, namespace);
  return new Set(placed.map(({ ref }) => refKey(ref)));
}

function eventsOf(document: ManifestDocument): readonly string[] {
  return (annotationIn(document, HOOK) ?? '').split(',').map((event) => event.trim().toLowerCase());
}
