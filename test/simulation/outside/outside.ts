import type { KubeObject } from '../../../src/api/kube.ts';
import type { Stage } from '../stage.ts';
import { ArgoCdController } from './argocd-controller.ts';
import type { Controller } from './controller.ts';
import { FluxController } from './flux-controller.ts';
import { Meddler } from './meddler.ts';
import { APPLICATION } from '../../../src/backends/argocd/application.ts';
import { HELM_RELEASE } from '../../../src/backends/flux/names.ts';

/** What delivers outside of the operator, and the people who lay hands on it. */
export class Outside {
  readonly #stage: Stage;
  readonly #flux: FluxController;
  readonly #argocd: ArgoCdController;
  readonly #meddler: Meddler;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#flux = new FluxController(stage);
    this.#argocd = new ArgoCdController(stage);
    this.#meddler = new Meddler(stage, (ref) => {
      this.#flux.controller.wake(ref);
    });
  }

  /** Installed before all else, or one of them only after a while. */
  begin(): void {
    const { chaos, scheduler } = this.#stage;
    const rng = chaos.rng('outside');
    for (const [kind, controller] of this.#each()) {
      const ms = rng.chance(0.1) ? rng.int(10, 240) * 1000 : 0;
      if (ms === 0) this.#install(kind, controller);
      else {
        scheduler.after(ms, () => {
          this.#install(kind, controller);
        });
      }
    }
  }

  /** Told of every change in the cluster. */
  see(before: KubeObject | undefined, object: KubeObject, gone: boolean): void {
    this.#flux.controller.see(before, object, gone);
    this.#argocd.controller.see(before, object, gone);
    if (!gone) return;
    if (object.kind === APPLICATION.kind) this.#argocd.orphan(object);
    else this.#argocd.gone(object);
  }

  /** From time to time. */
  look(): void {
    const { chaos, cluster } = this.#stage;
    for (const [{ kind }, controller] of this.#each()) {
      if (cluster.all(kind).length === 0) continue;
      if (chaos.strikes('controller', 0.2)) controller.crash('in the middle of nothing');
      if (chaos.strikes('meddle')) this.#meddler.meddle();
    }
    if (this.#meddler.hasHookOfHelm() && chaos.strikes('meddle')) this.#meddler.removeHookOfHelm();
  }

  /** All controllers, for so long. */
  leave(ms: number): void {
    for (const [, controller] of this.#each()) controller.leave(ms);
  }

  /** Nobody stays away any more. */
  settle(): void {
    for (const [, controller] of this.#each()) controller.revive();
    this.#meddler.settle();
  }

  #install(kind: typeof HELM_RELEASE | typeof APPLICATION, controller: Controller): void {
    this.#stage.cluster.serve(kind.apiVersion, kind.kind);
    controller.start();
  }

  #each(): readonly (readonly [typeof HELM_RELEASE | typeof APPLICATION, Controller])[] {
    return [
      [HELM_RELEASE, this.#flux.controller],
      [APPLICATION, this.#argocd.controller],
    ];
  }
}
