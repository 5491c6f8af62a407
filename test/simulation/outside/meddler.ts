import { type KubeObject, type ObjectRef, refOf } from '../../../src/api/kube.ts';
import {
  APPLICATION,
  isInProgress,
  readApplication,
  SKIP_RECONCILE,
} from '../../../src/backends/argocd/application.ts';
import { HELM_RELEASE, REQUEST, STAMP } from '../../../src/backends/flux/names.ts';
import { at, isRecord } from '../../../src/lib/json.ts';
import { formatSeconds } from '../../../src/lib/time.ts';
import { lineOf } from '../places.ts';
import type { Rng } from '../prng.ts';
import { runningRevision } from '../observers/revisions.ts';
import { allRecords, amendRecord, dropRecord, type Place, recordAt } from '../record.ts';
import { placeName } from '../release-work.ts';
import type { Stage } from '../stage.ts';
import { orderIn } from './orders.ts';
import { statusOf } from './turns.ts';

const INTERVAL_S = 300;

/** Gives what was done, for the trace; undefined: nothing. */
type Deed = (live: KubeObject) => string | undefined;

/** People who lay hands on what the controllers outside go by. */
export class Meddler {
  readonly #stage: Stage;
  readonly #rng: Rng;
  readonly #lookAgain: (ref: ObjectRef) => void;
  #deeds = 0;

  constructor(stage: Stage, lookAgain: (ref: ObjectRef) => void) {
    this.#stage = stage;
    this.#lookAgain = lookAgain;
    this.#rng = stage.chaos.rng('meddler');
  }

  /** One deed of somebody, to whatever there is. */
  meddle(): void {
    const { cluster } = this.#stage;
    const live = this.#rng.pick([...cluster.all(HELM_RELEASE.kind), ...cluster.all(APPLICATION.kind)]);
    if (live !== undefined) this.#do(live, live.kind === HELM_RELEASE.kind ? this.#fluxDeed() : this.#argoDeed());
  }

  hasHookOfHelm(): boolean {
    return this.#hooksOfHelm().length > 0;
  }

  /** The record of a hook is deleted, and with it all that is known of its release. */
  removeHookOfHelm(): void {
    const { cluster, ledger, trace } = this.#stage;
    const place = this.#rng.pick(this.#hooksOfHelm());
    if (place === undefined) return;
    ledger.byHand(place, () => {
      dropRecord(cluster, place);
    });
    ledger.reach('records of hooks deleted by hand');
    trace.add('BY HAND', `Secret of release ${placeName(place)}: deleted`);
  }

  /** Of revisions in progress. */
  #hooksOfHelm(): readonly Place[] {
    const { cluster } = this.#stage;
    return allRecords(cluster).filter(({ record }) => {
      const revision = record.by === 'helm' ? runningRevision(cluster, record.package ?? '') : undefined;
      return (revision?.spec.hooks ?? []).some(({ name }) => name === record.component);
    });
  }

  /** Most of what was put on hold goes on, and what the operator has stopped stays so. */
  settle(): void {
    const { cluster } = this.#stage;
    for (const live of cluster.all(HELM_RELEASE.kind)) {
      const isSuspended = at(live, 'spec', 'suspend') === true;
      const { [STAMP.stopped]: stopped, [STAMP.removal]: removal } = live.metadata.annotations ?? {};
      const isStopped = stopped !== undefined && removal === undefined;
      if (isStopped ? !isSuspended : isSuspended && !this.#rng.chance(0.3)) this.#do(live, this.#suspend);
    }
    for (const live of cluster.all(APPLICATION.kind)) {
      if (readApplication(live).isPaused && !this.#rng.chance(0.3)) this.#do(live, this.#pause);
    }
  }

  #do(live: KubeObject, deed: Deed): void {
    const { ledger, trace } = this.#stage;
    const order = orderIn(live);
    if (order === undefined) return;
    ledger.byHand(order, () => {
      const done = deed(live);
      if (done === undefined) return;
      ledger.reach('deeds by hand');
      trace.add('BY HAND', `${lineOf(live)}: ${done}`);
    });
  }

  #fluxDeed(): Deed {
    return this.#rng.weighted<Deed>([
      [this.#suspend, 4],
      [this.#editRelease, 2],
      [this.#request, 2],
      [this.#delete, 1],
      [this.#upgradeByHelm, 1],
      [this.#forget, 0.5],
    ]);
  }

  #argoDeed(): Deed {
    return this.#rng.weighted<Deed>([
      [this.#automate, 4],
      [this.#sync, 2],
      [this.#pause, 2],
      [this.#terminate, 1],
      [this.#editApplication, 2],
      [this.#delete, 1],
    ]);
  }

  readonly #suspend: Deed = (live) => {
    const suspend = at(live, 'spec', 'suspend') !== true;
    this.#put(live, { spec: { ...specOf(live), suspend } });
    return suspend ? 'suspended' : 'resumed';
  };

  readonly #editRelease: Deed = (live) => {
    this.#deeds += 1;
    this.#put(live, { spec: { ...specOf(live), values: { byHand: this.#deeds } } });
    return 'its values are edited';
  };

  /** `flux reconcile`, now and then with force. */
  readonly #request: Deed = (live) => {
    this.#deeds += 1;
    const token = `by-hand-${String(this.#deeds)}`;
    const isForced = this.#rng.chance(0.3);
    this.#annotate(live, { [REQUEST.requestedAt]: token, ...(isForced ? { [REQUEST.forceAt]: token } : {}) });
    return isForced ? 'a forced turn is requested' : 'a turn is requested';
  };

  readonly #delete: Deed = (live) => {
    const deletionTimestamp = live.metadata.deletionTimestamp ?? formatSeconds(this.#stage.scheduler.now());
    this.#put(live, { metadata: { ...live.metadata, deletionTimestamp } });
    return 'deleted';
  };

  /** With the helm command, over what the controller made: nothing shows it before that one's next look. */
  readonly #upgradeByHelm: Deed = (live) => {
    const order = orderIn(live);
    const record = order === undefined ? undefined : recordAt(this.#stage.cluster, order);
    if (order === undefined || record?.delivery !== 'delivered') return undefined;
    amendRecord(this.#stage.cluster, order, () => ({ revision: record.revision + 1, token: undefined }));
    this.#stage.scheduler.after(this.#rng.int(1, INTERVAL_S) * 1000, () => {
      this.#lookAgain(refOf(live));
    });
    return 'its release is upgraded with helm';
  };

  /** The words of a status are taken away, as a restore from a backup does it. */
  readonly #forget: Deed = (live) => {
    this.#put(live, { status: { observedGeneration: -1 } });
    return 'its status is emptied';
  };

  readonly #automate: Deed = (live) => {
    const spec = specOf(live);
    const policy = isRecord(spec['syncPolicy']) ? spec['syncPolicy'] : {};
    const { automated, ...others } = policy;
    const syncPolicy = automated === undefined ? { ...others, automated: { selfHeal: true } } : others;
    this.#put(live, { spec: { ...spec, syncPolicy } });
    return automated === undefined ? 'automated sync is switched on' : 'automated sync is switched off';
  };

  /** Refused by Argo CD while another operation is in progress. */
  readonly #sync: Deed = (live) => {
    if (live['operation'] !== undefined) return undefined;
    this.#put(live, { operation: { initiatedBy: { username: 'ada' }, sync: { prune: true } } });
    return 'a sync is started';
  };

  readonly #terminate: Deed = (live) => {
    const { current } = readApplication(live);
    if (current === undefined || !isInProgress(current)) return undefined;
    const status = statusOf(live);
    const state = isRecord(status['operationState']) ? status['operationState'] : {};
    this.#put(live, { status: { ...status, operationState: { ...state, phase: 'Terminating' } } });
    return 'its operation is terminated';
  };

  readonly #editApplication: Deed = (live) => {
    this.#deeds += 1;
    const spec = specOf(live);
    const source = isRecord(spec['source']) ? spec['source'] : {};
    const helm = isRecord(source['helm']) ? source['helm'] : {};
    const values = isRecord(helm['valuesObject']) ? helm['valuesObject'] : {};
    const edited = { ...source, helm: { ...helm, valuesObject: { ...values, byHand: String(this.#deeds) } } };
    this.#put(live, { spec: { ...spec, source: edited } });
    return 'its values are edited';
  };

  readonly #pause: Deed = (live) => {
    const { isPaused } = readApplication(live);
    this.#annotate(live, { [SKIP_RECONCILE]: isPaused ? 'false' : 'true' });
    return isPaused ? 'it is looked at again' : 'it is not looked at any more';
  };

  #annotate(live: KubeObject, annotations: Readonly<Record<string, string>>): void {
    const metadata = { ...live.metadata, annotations: { ...live.metadata.annotations, ...annotations } };
    this.#stage.cluster.put({ ...live, metadata });
  }

  #put(live: KubeObject, change: Readonly<Record<string, unknown>>): void {
    this.#stage.cluster.put({ ...live, ...change });
  }
}

function specOf(live: KubeObject): Readonly<Record<string, unknown>> {
  return isRecord(live['spec']) ? live['spec'] : {};
}
