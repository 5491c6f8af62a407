import type { KubeObject } from '../../api/kube.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import type { Cluster, WatchEvent } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { HELM_RELEASE } from './names.ts';

/** What helm-controller does within moments is awaited; what takes longer is seen by the next look. */
const PATIENCE_MS = 5_000;

export interface Wait {
  /** Of the HelmRelease as it is, or of nothing once it is gone. */
  readonly until: (helmRelease: KubeObject | undefined) => boolean;
  readonly signal: AbortSignal;
}

/** Whether it came to be so in time. */
export function awaitRelease(
  { namespace, releaseName }: ReleaseTarget,
  { until, signal }: Wait,
  { cluster, clock }: { readonly cluster: Cluster; readonly clock: Clock },
): Promise<boolean> {
  return new Promise((resolve) => {
    const ends: (() => void)[] = [];
    const end = (result: boolean): void => {
      for (const stop of ends.splice(0)) stop();
      resolve(result);
    };
    const giveUp = (): void => end(false);
    const timer = clock.after(PATIENCE_MS, giveUp);
    signal.addEventListener('abort', giveUp);
    ends.push(
      () => timer.cancel(),
      () => signal.removeEventListener('abort', giveUp),
    );
    let isThere = false;
    const selection = { ...HELM_RELEASE, namespace, fieldSelector: `metadata.name=${releaseName}` };
    const subscription = cluster.watch(selection, (event) => {
      isThere = event.type === 'set' || (isThere && event.type !== 'gone');
      if (isNews(event) && until(event.type === 'set' ? event.object : undefined)) end(true);
    });
    ends.push(() => subscription.stop());

    function isNews(event: WatchEvent): boolean {
      return event.type === 'set' || event.type === 'gone' || (event.type === 'synced' && !isThere);
    }
  });
}
