import { asKubepkgError, isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { asArray, asString, at } from '../lib/json.ts';
import type { Cluster, Selection, WatchEvent } from '../ports/cluster.ts';

/** Waits until objects of the kind can be made: the CRD is established, and discovery knows each version of it. */
export async function awaitCrd(name: string, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const crd = await established(name, cluster, signal);
  const kind = asString(at(crd, 'spec', 'names', 'kind')) ?? '';
  for (const apiVersion of servedVersions(crd)) {
    if ((await cluster.served(apiVersion, kind)) !== undefined) continue;
    // A watch of a kind that is not served asks for it again until it is.
    await watchUntil({ apiVersion, kind, metadataOnly: true }, { cluster, signal, isEnough: isServed });
  }
}

async function established(name: string, cluster: Cluster, signal: AbortSignal): Promise<KubeObject | undefined> {
  const kind = 'CustomResourceDefinition';
  let crd: KubeObject | undefined;
  const isEnough = (event: WatchEvent): boolean => {
    if (event.type === 'disturbed' && isCode(event.error, 'ApiForbidden')) throw event.error;
    if (event.type === 'set') crd = event.object;
    const isGone = event.type === 'gone' || (event.type === 'synced' && crd === undefined);
    if (isGone || crd?.metadata.deletionTimestamp !== undefined) throw removed(name);
    return isSettled(crd);
  };
  const selection = { apiVersion: 'apiextensions.k8s.io/v1', kind, fieldSelector: `metadata.name=${name}` };
  await watchUntil(selection, { cluster, signal, isEnough });
  return crd;
}

/** Names that another CRD has already are no reason to wait: whether the chart can do without is for helm to see. */
function isSettled(crd: KubeObject | undefined): boolean {
  return hasCondition(crd, 'Established', 'True') || hasCondition(crd, 'NamesAccepted', 'False');
}

function servedVersions(crd: KubeObject | undefined): readonly string[] {
  if (!hasCondition(crd, 'Established', 'True')) return [];
  const group = asString(at(crd, 'spec', 'group')) ?? '';
  return asArray(at(crd, 'spec', 'versions'))
    .filter((version) => at(version, 'served') === true)
    .map((version) => `${group}/${asString(at(version, 'name')) ?? ''}`);
}

/** Who may not look at the objects of a kind learns nevertheless that it is there. */
function isServed(event: WatchEvent): boolean {
  return event.type === 'synced' || (event.type === 'disturbed' && isCode(event.error, 'ApiForbidden'));
}

/** Ends with the first event that is enough; what `isEnough` throws ends it as well, and so does a stop. */
async function watchUntil(
  selection: Selection,
  options: {
    readonly cluster: Cluster;
    readonly signal: AbortSignal;
    readonly isEnough: (event: WatchEvent) => boolean;
  },
): Promise<void> {
  const { cluster, signal, isEnough } = options;
  const ends: (() => void)[] = [];
  const enough = new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      reject(new KubepkgError('HelmKilled', `stopped while waiting for ${selection.kind} of ${selection.apiVersion}`));
    };
    const onEvent = (event: WatchEvent): void => {
      try {
        if (isEnough(event)) resolve();
      } catch (error) {
        reject(asKubepkgError(error));
      }
    };
    const subscription = cluster.watch(selection, onEvent);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    ends.push(() => {
      subscription.stop();
      signal.removeEventListener('abort', stop);
    });
  });
  await enough.finally(() => {
    for (const end of ends) end();
  });
}

function hasCondition(crd: KubeObject | undefined, type: string, status: 'True' | 'False'): boolean {
  return asArray(at(crd, 'status', 'conditions')).some(
    (condition) => at(condition, 'type') === type && at(condition, 'status') === status,
  );
}

function removed(name: string): KubepkgError {
  return new KubepkgError('ApiConflict', `CustomResourceDefinition ${name} is being deleted, or was`, {
    hint: 'kubepkg creates it once it is gone',
  });
}
