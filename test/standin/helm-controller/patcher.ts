import { isCode, KubepkgError } from '../../../src/api/errors.ts';
import { type Condition, type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube.ts';
import { isRecord } from '../../../src/lib/json.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import type { Clock } from '../../../src/ports/system.ts';
import {
  type ConditionType,
  findCondition,
  type HelmReleaseStatus,
  sameCondition,
  setCondition,
  withoutCondition,
} from './status.ts';
import type { WorkingCopy } from './working-copy.ts';

export interface PatcherOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** Passed before every request. */
  readonly step: () => Promise<void>;
  /** Whether somebody is to be faster this time. */
  readonly takeConflict: () => boolean;
  /** After the conditions were written, and before anything else is. */
  readonly conditionsWritten: (changed: readonly ConditionType[]) => Promise<void>;
}

const TRIES = 5;
const TYPES: readonly ConditionType[] = ['Stalled', 'Reconciling', 'Ready', 'Released', 'Remediated'];

interface Written {
  readonly status: HelmReleaseStatus;
  readonly finalizers: readonly string[];
}

/**
 * Writes what a turn has changed, as several requests and so as several versions of the object: the conditions, the
 * finalizers, the rest of the status [01: Ready at 8075, history at 8086; Reconciling goes at 8104, og comes at 8113].
 */
export class Patcher {
  readonly #options: PatcherOptions;
  readonly #copy: WorkingCopy;
  readonly #ref: ObjectRef;
  #before: Written;

  constructor(copy: WorkingCopy, options: PatcherOptions) {
    this.#options = options;
    this.#copy = copy;
    this.#ref = refOf(copy.object);
    this.#before = { status: copy.status, finalizers: copy.finalizers };
  }

  /** With the generation that the turn was about, when it ended for good ("What each field proves": og). */
  async patch(options: { readonly observed?: boolean } = {}): Promise<void> {
    const copy = this.#copy;
    if (options.observed === true) copy.update({ observedGeneration: copy.generation });
    const [before, after] = [this.#before, { status: copy.status, finalizers: copy.finalizers }];
    try {
      await this.#patchConditions(before.status, after.status);
      await this.#patchFinalizers(before.finalizers, after.finalizers);
      await this.#patchStatus(before.status, after.status);
    } catch (error) {
      // [15]: with the finalizer the object goes, and the rest of its status with it.
      if (!copy.isBeingDeleted || !isCode(error, 'ApiNotFound')) throw error;
    }
    this.#before = after;
  }

  /**
   * On the newest version, whatever has changed meanwhile: so a condition has the newest generation and not the one
   * that was tried [25: Ready@3 for generation 2].
   */
  async #patchConditions(before: HelmReleaseStatus, after: HelmReleaseStatus): Promise<void> {
    const changed = TYPES.filter(
      (type) => !sameCondition(findCondition(before.conditions, type), findCondition(after.conditions, type)),
    );
    if (changed.length === 0) return;
    for (let attempt = 1; ; attempt += 1) {
      const latest = await this.#latest();
      try {
        await this.#writeConditions(latest, this.#merged(latest, changed));
        break;
      } catch (error) {
        if (attempt === TRIES || !isCode(error, 'ApiConflict')) throw error;
      }
    }
    await this.#options.conditionsWritten(changed);
  }

  async #latest(): Promise<KubeObject> {
    await this.#options.step();
    const latest = await this.#options.cluster.read(this.#ref);
    if (latest !== undefined) return latest;
    throw new KubepkgError('ApiNotFound', `${this.#ref.name} is gone`);
  }

  #merged(latest: KubeObject, changed: readonly ConditionType[]): readonly Condition[] {
    const at = { generation: latest.metadata.generation ?? 0, now: this.#options.clock.now() };
    const status = isRecord(latest['status']) ? (latest['status'] as HelmReleaseStatus) : {};
    return changed.reduce<readonly Condition[]>((conditions, type) => {
      const wanted = this.#copy.condition(type);
      if (wanted === undefined) return withoutCondition(conditions, type);
      const { status: truth, reason, message } = wanted;
      return setCondition(conditions, { type, status: truth, reason, message }, at);
    }, status.conditions ?? []);
  }

  async #writeConditions(latest: KubeObject, conditions: readonly Condition[]): Promise<void> {
    const resourceVersion = this.#options.takeConflict() ? '1' : latest.metadata.resourceVersion;
    await this.#write({ metadata: { resourceVersion }, status: { conditions } }, 'status');
  }

  async #patchFinalizers(before: readonly string[], after: readonly string[]): Promise<void> {
    if (stableJson(before) !== stableJson(after)) await this.#write({ metadata: { finalizers: after } });
  }

  async #patchStatus(before: HelmReleaseStatus, after: HelmReleaseStatus): Promise<void> {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])] as (keyof HelmReleaseStatus)[];
    const changed = fields.filter(
      (field) => field !== 'conditions' && stableJson(before[field] ?? null) !== stableJson(after[field] ?? null),
    );
    if (changed.length === 0) return;
    const status = Object.fromEntries(changed.map((field) => [field, after[field] ?? null]));
    await this.#write({ status }, 'status');
  }

  async #write(patch: unknown, subresource?: string): Promise<void> {
    await this.#options.step();
    const { cluster } = this.#options;
    const part = subresource === undefined ? {} : { subresource };
    await cluster.write({ verb: 'merge-patch', ref: this.#ref, patch, ...part });
  }
}
