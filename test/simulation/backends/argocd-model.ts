import { KubepkgError } from '../../../src/api/errors.ts';
import { type KubeObject, nameOf, refOf } from '../../../src/api/kube.ts';
import { LABEL } from '../../../src/api/names.ts';
import { APPLICATION, applicationRef, readApplication, releaseOf } from '../../../src/backends/argocd/application.ts';
import { withAutomated } from '../../../src/backends/argocd/hand-back.ts';
import { interpret } from '../../../src/backends/argocd/interpret.ts';
import { inventoryOf } from '../../../src/backends/argocd/inventory.ts';
import { readNoted } from '../../../src/backends/argocd/noted.ts';
import { NOTE } from '../../../src/backends/argocd/notes.ts';
import { operationInProgress, withoutOperation } from '../../../src/backends/argocd/operation.ts';
import { translateApplication } from '../../../src/backends/argocd/translate.ts';
import { isTaken } from '../../../src/domain/release/observation.ts';
import type {
  Backend,
  BackendAction,
  BackendWatch,
  DesiredRelease,
  InventoryItem,
  PresentRelease,
  RecordedRelease,
  ReleaseObservation,
  ReleaseTarget,
  SubmitOutcome,
} from '../../../src/ports/backend.ts';
import { render } from '../charts.ts';
import { CASCADE } from '../outside/argocd-controller.ts';
import { ARGOCD_NAMESPACE } from '../places.ts';
import { readRecord, recordRef } from '../record.ts';
import { itemsOf, ownerName, placeName, removeFormerRun } from '../release-work.ts';
import type { Life, Stage } from '../stage.ts';
import { Steps } from './steps.ts';

const ACCEPTED: SubmitOutcome = { kind: 'accepted' };
type DeliveryAction = Extract<BackendAction, { readonly release: DesiredRelease }>;
type Request = Parameters<Life['cluster']['write']>[0];

/** Only writes Applications, made and judged by what the real backend makes and judges them by. */
export class ArgoCdModel implements Backend {
  readonly id = 'argocd';
  readonly capabilities = { runsProcesses: false, adoptsObjects: true, secretValues: true, previewsObjects: false };
  readonly surroundings = { check: () => this.#check(), refuses: () => undefined };
  readonly #world: Stage;
  readonly #process: Life;
  readonly #steps: Steps;

  constructor(world: Stage, process: Life) {
    this.#world = world;
    this.#process = process;
    this.#steps = new Steps(world);
  }

  async observe(target: ReleaseTarget): Promise<ReleaseObservation> {
    return this.#judge(target, await this.#read(target));
  }

  async inventory(
    target: ReleaseTarget,
    which: 'completed' | 'newest' | 'begun' = 'completed',
  ): Promise<readonly InventoryItem[]> {
    const live = await this.#read(target);
    if (live === undefined) return [];
    const { begun, current } = inventoryOf(live, readNoted(live.metadata.annotations?.[NOTE.objects]));
    return which === 'completed' ? current : begun;
  }

  submit(action: BackendAction): Promise<SubmitOutcome> {
    return this.#steps.take(action, () => this.#tell(action));
  }

  watches(): readonly BackendWatch[] {
    const selection = { ...APPLICATION, namespace: ARGOCD_NAMESPACE, labelSelector: LABEL.package, metadataOnly: true };
    return [{ selection, owner: ownerOf }];
  }

  preview(): Promise<readonly KubeObject[]> {
    return Promise.reject(new KubepkgError('Unsupported', 'the model has no preview'));
  }

  async releasesOf(pkg: string): Promise<readonly ReleaseTarget[]> {
    const labelSelector = `${LABEL.package}=${pkg}`;
    const { items } = await this.#process.cluster.list({ ...APPLICATION, namespace: ARGOCD_NAMESPACE, labelSelector });
    return items.map((application) => ({
      package: pkg,
      component: application.metadata.labels?.[LABEL.component] ?? '',
      ...releaseOf(application),
    }));
  }

  async #check(): Promise<KubepkgError | undefined> {
    const served = await this.#process.cluster.served(APPLICATION.apiVersion, APPLICATION.kind);
    return served === undefined ? new KubepkgError('BackendUnavailable', 'Argo CD is not installed') : undefined;
  }

  #read(target: ReleaseTarget): Promise<KubeObject | undefined> {
    return this.#process.cluster.read(applicationRef(target, ARGOCD_NAMESPACE));
  }

  async #judge(target: ReleaseTarget, live: KubeObject | undefined): Promise<ReleaseObservation> {
    if (live !== undefined) return interpret(target, live, this.#world.scheduler.now());
    const record = readRecord(await this.#process.cluster.read(recordRef(target)));
    if (record === undefined || record.uninstalled === true) return { state: 'absent' };
    return { state: 'foreign', message: `release ${placeName(target)} of ${ownerName(record)} was made by helm` };
  }

  #tell(action: BackendAction): Promise<SubmitOutcome> {
    switch (action.kind) {
      case 'install':
      case 'upgrade':
        return this.#order(action);
      case 'stop':
        return this.#stop(action.target, action.observed);
      case 'hand-back':
        return this.#handBack(action.target);
      case 'uninstall':
        return this.#uninstall(action.target);
      case 'unlock':
        return Promise.resolve({ kind: 'refused', error: new KubepkgError('Unsupported', 'nothing is locked') });
    }
  }

  /** Looks once more, since what was decided on may be old. */
  async #order({ release, observed }: DeliveryAction): Promise<SubmitOutcome> {
    const live = await this.#read(release);
    const standing = await this.#judge(release, live);
    if (isOrdered(standing, release.token)) return ACCEPTED;
    if (isTaken(standing, release))
      return { kind: 'refused', error: new KubepkgError('OwnershipConflict', 'it is somebody else’s') };
    if (hasMoved(observed, standing))
      return failed(new KubepkgError('ApiConflict', 'it changed since it was looked at'));
    if (standing.state === 'present' && standing.delivery === 'draining')
      return failed(new KubepkgError('ReleaseLocked', standing.message));
    const running = live === undefined ? undefined : operationInProgress(live);
    if (live !== undefined && running !== undefined) return this.#makeWay(live, running.token !== undefined);
    await this.#clear(release, live);
    return this.#write({ verb: live === undefined ? 'create' : 'replace', object: this.#application(release, live) });
  }

  async #clear(release: DesiredRelease, live: KubeObject | undefined): Promise<void> {
    const chart = this.#world.shelf.ofContent(release.chart.path);
    if (live === undefined && chart !== undefined) await removeFormerRun(release, chart, this.#process.cluster);
  }

  /** One operation at a time. */
  async #makeWay(live: KubeObject, isOurs: boolean): Promise<SubmitOutcome> {
    if (isOurs) await this.#write({ verb: 'replace', object: withoutOperation(live, this.#world.scheduler.now()) });
    return failed(new KubepkgError('ReleaseLocked', `${nameOf(refOf(live))}: another operation is in progress`));
  }

  #application(release: DesiredRelease, live: KubeObject | undefined): KubeObject {
    const chart = this.#world.shelf.ofContent(release.chart.path);
    const items = chart === undefined ? [] : itemsOf(render(chart, release));
    const objects = items.map(({ mayVanish = false, ...ref }) =>
      ref.kind === 'Job' ? { ref, job: { unchangeable: release.chart.path, mayVanish } } : { ref },
    );
    const { version } = release.chart;
    return translateApplication(
      {
        release,
        location: { kind: 'http', repository: 'https://charts.example.org', name: release.chart.path, version },
        objects,
        options: { namespace: ARGOCD_NAMESPACE, project: 'default' },
        now: this.#world.scheduler.now(),
      },
      live,
    );
  }

  async #stop(target: ReleaseTarget, observed: PresentRelease): Promise<SubmitOutcome> {
    const live = await this.#read(target);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return ACCEPTED;
    if (observed.token !== undefined && observed.token !== readApplication(live).token)
      return failed(new KubepkgError('ApiConflict', 'it went on'));
    if (operationInProgress(live)?.token === undefined) return ACCEPTED;
    return this.#write({ verb: 'replace', object: withoutOperation(live, this.#world.scheduler.now()) });
  }

  async #handBack(target: ReleaseTarget): Promise<SubmitOutcome> {
    const live = await this.#read(target);
    if (live?.metadata.annotations?.[NOTE.automated] === undefined) return ACCEPTED;
    return this.#write({ verb: 'replace', object: withAutomated(live) });
  }

  async #uninstall(target: ReleaseTarget): Promise<SubmitOutcome> {
    const live = await this.#read(target);
    if (live === undefined || live.metadata.deletionTimestamp !== undefined) return ACCEPTED;
    if ((await this.#judge(target, live)).state === 'foreign')
      return { kind: 'refused', error: new KubepkgError('OwnershipConflict', 'it is somebody else’s') };
    const { finalizers = [], annotations, uid = '' } = live.metadata;
    const { [NOTE.automated]: _automated, ...kept } = annotations ?? {};
    const metadata = { ...live.metadata, annotations: kept, finalizers: [...new Set([...finalizers, CASCADE])] };
    const marked = await this.#write({
      verb: 'replace',
      object: { ...withoutOperation(live, this.#world.scheduler.now()), metadata },
    });
    if (marked.kind !== 'accepted') return marked;
    return this.#write({ verb: 'delete', ref: applicationRef(target, ARGOCD_NAMESPACE), uid });
  }

  async #write(request: Request): Promise<SubmitOutcome> {
    await this.#process.cluster.write(request);
    return ACCEPTED;
  }
}

/** Argo CD was told by this very attempt, and it has not failed. */
function isOrdered(standing: ReleaseObservation, token: string): boolean {
  return (
    standing.state === 'present' &&
    standing.token === token &&
    (standing.delivery === 'delivered' || standing.delivery === 'underway')
  );
}

function hasMoved(before: ReleaseObservation, now: ReleaseObservation): boolean {
  if (before.state !== now.state) return true;
  return before.state === 'present' && now.state === 'present' && before.revision !== now.revision;
}

function ownerOf(application: KubeObject): RecordedRelease | undefined {
  const pkg = application.metadata.labels?.[LABEL.package];
  return pkg === undefined ? undefined : { package: pkg, ...releaseOf(application) };
}

function failed(error: KubepkgError): SubmitOutcome {
  return { kind: 'failed', error };
}
