import type { KubeObject } from '../../../src/api/kube.ts';
import type { DesiredRelease, ReleaseTarget } from '../../../src/ports/backend.ts';
import type { ReleaseRecord } from '../record.ts';
import type { Stage } from '../stage.ts';
import { BelongingsObserver } from './belongings.ts';
import { ClockObserver } from './clocks.ts';
import { HookObserver } from './hooks.ts';
import { OrderObserver } from './order.ts';
import { asRevision, runningRevision } from './revisions.ts';
import { TransactionObserver } from './transactions.ts';
import { WordsObserver } from './words.ts';

/** Bystanders that see what the cluster and the backend show, and know the rules. */
export class Observers {
  readonly clocks: ClockObserver;
  readonly belongings: BelongingsObserver;
  readonly #world: Stage;
  readonly #order: OrderObserver;
  readonly #hooks: HookObserver;
  readonly #transactions: TransactionObserver;
  readonly #words: WordsObserver;

  constructor(world: Stage) {
    this.#world = world;
    this.clocks = new ClockObserver(world);
    this.belongings = new BelongingsObserver(world);
    this.#order = new OrderObserver(world);
    this.#hooks = new HookObserver(world);
    this.#transactions = new TransactionObserver(world);
    this.#words = new WordsObserver(world);
  }

  /** `after` is undefined for what is gone. */
  see(before: KubeObject | undefined, after: KubeObject | undefined): void {
    if (after === undefined) {
      if (before !== undefined) this.belongings.gone(before);
      return;
    }
    if (after.kind === 'Job') this.#hooks.count();
    if (after.kind === 'Package' || after.kind === 'PackageRevision') this.#words.see(before, after);
    const revision = asRevision(after);
    if (revision === undefined) return;
    this.#tell(asRevision(before)?.status?.phase, revision);
    this.#order.revisionChanged(asRevision(before), revision);
    this.#transactions.revisionChanged(revision);
  }

  deliveryBegins(kind: 'install' | 'upgrade', release: DesiredRelease, known: ReleaseRecord | undefined): void {
    const { cluster, ledger } = this.#world;
    const revision = runningRevision(cluster, release.package);
    ledger.reach(`${kind} begun`);
    this.#order.deliveryBegins(release);
    this.belongings.deliveryBegins(release, known);
    if (revision === undefined) return;
    const { name, uid = '' } = revision.metadata;
    const { package: pkg, component, token } = release;
    ledger.begun.push({ kind, package: pkg, component, token, revision: name, revisionUid: uid, at: ledger.now() });
    this.#hooks.deliveryBegins(release);
    const isHook = (revision.spec.hooks ?? []).some((hook) => hook.name === component);
    if (!isHook) this.#transactions.deliveryBegins(pkg, revision);
  }

  removalBegins(target: ReleaseTarget, known: ReleaseRecord | undefined): void {
    this.#world.ledger.reach('removal begun');
    this.belongings.removalBegins(target, known);
    this.#hooks.removalBegins(target);
  }

  #tell(former: string | undefined, { metadata, spec, status }: NonNullable<ReturnType<typeof asRevision>>): void {
    const { phase = 'created', message = '' } = status ?? {};
    if (former === status?.phase) return;
    const { restoredFrom = 0 } = spec;
    this.#world.ledger.reach(`${restoredFrom > 0 ? 'restoring' : 'forward'} revision ${phase}`);
    const restored = restoredFrom > 0 ? `, restoring ${String(restoredFrom)}` : '';
    this.#world.trace.add('journal', `${metadata.name} (${spec.version}${restored}) ${phase}: ${message}`);
  }
}
