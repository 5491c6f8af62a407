import { type KubeObject, type ObjectRef, refOf } from '../../src/api/kube.ts';
import type { HealthReport } from '../../src/domain/release/component-view.ts';
import { judgeHealth, type HealthRequest } from '../../src/engine/health.ts';
import { ObjectTracker } from '../../src/engine/object-tracker.ts';
import { RelatedReader } from '../../src/engine/related.ts';
import { type ReleaseAnswer, ReleaseBook, type ReleaseQuestion } from '../../src/engine/release-book.ts';
import { Witness } from '../../src/engine/witness.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';
import { aRevisionComponent } from '../build/objects.ts';
import { VirtualClock } from './clock.ts';
import { MemoryBackend } from './memory-backend.ts';
import { MemoryCluster } from './memory-cluster.ts';

export const TARGET: ReleaseTarget = { package: 'shop', component: 'app', releaseName: 'app', namespace: 'shop' };

/** What judges the health of one component, over a cluster in memory whose time is the test's. */
export class HealthScene {
  readonly cluster = new MemoryCluster();
  readonly clock = new VirtualClock();
  readonly backend = new MemoryBackend(this.cluster);
  /** Followers that were woken, in order. */
  readonly woken: string[] = [];
  readonly tracker = new ObjectTracker(this.cluster, (key) => this.woken.push(key));
  readonly witness = new Witness();
  readonly book: ReleaseBook;

  constructor() {
    const { cluster, clock, tracker } = this;
    cluster.serve('example.dev/v1', 'Widget');
    cluster.serve('example.dev/v1', 'Realm', false);
    cluster.now = () => clock.now();
    this.book = new ReleaseBook({ cluster, tracker, clock });
  }

  judge(request: HealthRequest): Promise<HealthReport> {
    const { cluster, tracker, clock, witness } = this;
    return judgeHealth({ cluster, tracker, related: new RelatedReader(cluster, clock), clock, witness }, request);
  }

  /** Read live, as after a delivery. */
  async follow(refs: readonly ObjectRef[]): Promise<void> {
    this.tracker.follow('shop/app', refs);
    await this.tracker.refresh(refs);
  }

  ask(parts: Partial<ReleaseQuestion> = {}): Promise<ReleaseAnswer> {
    const component = aRevisionComponent('app');
    return this.book.ask({ backend: this.backend, target: TARGET, component, awaited: true, ...parts });
  }

  async statusOf(parts: Partial<ReleaseQuestion> = {}): Promise<string> {
    return (await this.ask(parts)).health.status;
  }

  /** A record of the release that owns these objects. */
  leave(objects: readonly KubeObject[], parts: Parameters<MemoryBackend['leave']>[1] = {}): void {
    for (const object of objects) this.cluster.put(object);
    this.backend.leave(TARGET, { inventory: objects.map((object) => refOf(object)), ...parts });
    this.book.markRelease('shop/app');
  }
}
