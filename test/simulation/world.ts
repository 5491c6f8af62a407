import type { KubepkgError } from '../../src/api/errors.ts';
import type { KubeObject } from '../../src/api/kube.ts';
import { API_VERSION, LABEL } from '../../src/api/names.ts';
import { at } from '../../src/lib/json.ts';
import type { WriteRequest } from '../../src/ports/cluster.ts';
import { Chaos, type Climate } from './chaos.ts';
import { ChartShelf } from './charts.ts';
import { Controllers } from './controllers.ts';
import { Editor } from './editor.ts';
import { Ledger } from './ledger.ts';
import { Observers } from './observers/observers.ts';
import { Outside } from './outside/outside.ts';
import { ARGOCD_NAMESPACE, OPERATOR_NAMESPACE, WIDGET } from './places.ts';
import type { SimProcess } from './process.ts';
import { Scheduler } from './scheduler.ts';
import { Scribe } from './scribe.ts';
import { SimCluster } from './sim-cluster.ts';
import { Trace } from './trace.ts';
import { Truth } from './truth.ts';
import type { Setting } from './setting.ts';

export interface WorldOptions {
  readonly seed: number;
  readonly climate: Climate;
  readonly setting: Setting;
  readonly only?: readonly string[] | undefined;
  readonly traced: boolean;
}

/** All that there is in one run, the operator excepted. */
export class World {
  readonly scheduler = new Scheduler();
  readonly cluster = new SimCluster();
  readonly chaos: Chaos;
  readonly trace: Trace;
  readonly ledger: Ledger;
  readonly truth: Truth;
  readonly scribe: Scribe;
  readonly shelf: ChartShelf;
  readonly universe: Setting['packages'];
  readonly defaultBackend: Setting['defaultBackend'];
  readonly story: Setting['story'];
  readonly editor: Editor;
  readonly outside: Outside;
  readonly observers: Observers;
  /** Deliveries that may run at once. */
  readonly slots: number;
  /** The life of the operator that runs now. */
  process: SimProcess | undefined;
  /** Requests of the operator that changed something. */
  changes = 0;
  /** When anything in the cluster last changed. */
  changedAt = 0;

  constructor({ seed, climate, setting, only, traced }: WorldOptions) {
    const { scheduler, cluster } = this;
    this.chaos = new Chaos(seed, climate, only);
    this.trace = new Trace(scheduler, traced);
    this.ledger = new Ledger(scheduler, this.trace);
    this.truth = new Truth(scheduler, cluster);
    this.scribe = new Scribe(this.ledger, this.trace);
    this.shelf = new ChartShelf(setting.packages);
    this.universe = setting.packages;
    this.defaultBackend = setting.defaultBackend;
    this.story = setting.story;
    this.slots = this.chaos.rng('slots').int(1, 4);
    this.editor = new Editor(this);
    this.observers = new Observers(this);
    this.outside = new Outside(this);
    const controllers = new Controllers(this);
    cluster.now = () => scheduler.now();
    cluster.changed = (before, object, gone) => {
      if (!this.#isLeftToItself(object)) this.changedAt = scheduler.now();
      controllers.see(before, object, gone);
      this.observers.see(before, gone ? undefined : object);
      this.outside.see(before, object, gone);
    };
    cluster.serve(WIDGET.apiVersion, WIDGET.kind);
    for (const name of [OPERATOR_NAMESPACE, ARGOCD_NAMESPACE]) {
      cluster.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
  }

  /** Somebody may choose this very moment to change something. */
  afterEffect(_what: string): void {
    if (this.chaos.strikes('edit')) this.editor.edit();
  }

  sends(request: WriteRequest): void {
    this.observers.sends(request);
  }

  wrote(_request: WriteRequest, _result: KubeObject): void {
    this.changes += 1;
  }

  /** What a controller tries again and again for a package that is suspended has no end. */
  #isLeftToItself({ kind, metadata }: KubeObject): boolean {
    if (kind !== 'HelmRelease' && kind !== 'Application') return false;
    const ref = { apiVersion: API_VERSION, kind: 'Package', name: metadata.labels?.[LABEL.package] ?? '' };
    return at(this.cluster.get(ref), 'spec', 'suspend') === true;
  }

  turnFailed(name: string, error: KubepkgError): void {
    this.trace.add('turn', `${name} failed: ${error.code} ${error.message}`);
    if (error.class === 'bug') this.ledger.violate('B1', `a fault of kubepkg: ${error.message} ${error.stack ?? ''}`);
  }
}
