import type { KubeObject } from '../../api/kube.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import type { CliHost } from '../host.ts';
import { asPackage, PACKAGES } from '../objects.ts';
import { conditionOf } from '../report/package-state.ts';
import { writeLines } from '../write-lines.ts';

/** What a finalizer holds for longer is left to the next one. */
const PATIENCE_MS = 5 * 60_000;

/** Reasons of a package that has come to its end, and may still have something to remove. */
const ENDED: readonly string[] = ['ReconciliationSucceeded', 'RolledBack', 'UpgradeRolledBack'];

export interface Leftovers {
  readonly names: ReadonlySet<string>;
  /** Aborted when it is to end. */
  readonly asked: AbortSignal;
}

/**
 * A package is well before what a version has dropped, and the release of a hook, are removed: with nobody to go on with
 * that, the command does not end before. Packages that it is not about are left to whoever is asked about them.
 */
export async function untilPutAway(host: CliHost, flags: GlobalFlags, { names, asked }: Leftovers): Promise<void> {
  if (names.size === 0) return;
  await withCluster(
    host,
    flags,
    ({ cluster }) =>
      new Promise<void>((resolve) => {
        const busy = new Map<string, string>();
        let isRead = false;
        const finish = (): void => {
          timer.cancel();
          asked.removeEventListener('abort', finish);
          subscription.stop();
          resolve();
        };
        const timer = host.clock.after(PATIENCE_MS, () => {
          writeLines(
            host.stderr,
            [...busy.values()].map((text) => `${text}; it is left to the next one who works`),
          );
          finish();
        });
        const subscription = cluster.watch(PACKAGES, (event) => {
          if (event.type === 'set' && names.has(event.object.metadata.name)) note(busy, event.object);
          if (event.type === 'gone') busy.delete(event.object.metadata.name);
          isRead ||= event.type === 'synced';
          if (isRead && busy.size === 0) queueMicrotask(finish);
        });
        asked.addEventListener('abort', finish);
        if (asked.aborted) finish();
      }),
  );
}

function note(busy: Map<string, string>, object: KubeObject): void {
  const pkg = asPackage(object);
  const ready = conditionOf(pkg, 'Ready');
  const isBusy = conditionOf(pkg, 'Reconciling')?.status === 'True' && ENDED.includes(ready?.reason ?? '');
  if (isBusy) busy.set(pkg.metadata.name, `package ${pkg.metadata.name}: ${ready?.message ?? ''}`);
  else busy.delete(pkg.metadata.name);
}
