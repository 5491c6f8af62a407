import type { KubeObject } from '../../../src/api/kube.ts';
import { decodeRecord, type ReleaseRecord } from '../../../src/helm/record.ts';
import { asArray, asString, at } from '../../../src/lib/json.ts';
import type { Gate } from './gate.ts';
import type { MadeUpAnswer, PassingRequest, Passage } from './gateway.ts';
import type { Moment } from './options.ts';
import { decodeSecret } from './secret-protobuf.ts';

export interface HelmPassageOptions {
  readonly gate: Gate;
  readonly releaseNamespace: string;
  readonly storageNamespace: string;
  /** Asked once, when helm has written all objects and is about to run its last hooks or to record that it is done. */
  readonly ready: (pending: ReleaseRecord) => Promise<string | undefined>;
  readonly moment: (moment: Moment) => Promise<void>;
  /** What is told to helm when it writes its first object. */
  readonly sabotage: string | undefined;
}

const RECORD_TYPE = 'helm.sh/release.v1';
const RECORD_NAME = 'sh.helm.release.v1.';
/** Statuses that end an action well; the former release is superseded first [02: 14946, 14963]. */
const ENDED: readonly string[] = ['deployed', 'superseded'];
const WRITES: readonly string[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

/**
 * What one helm says to the API server. The wait is ours and not helm's, on the ticks that the traces show, so helm is
 * held up at the point at which it would wait.
 */
export class HelmPassage implements Passage {
  readonly #options: HelmPassageOptions;
  #pending: ReleaseRecord | undefined;
  #isRecorded = false;
  #hasObjects = false;
  #readiness: Promise<string | undefined> | undefined;
  #failure: string | undefined;
  #giveUp: (() => void) | undefined;
  /** Resolves when what helm wrote does not become ready: helm is to be ended then. */
  readonly givenUp: Promise<void>;

  constructor(options: HelmPassageOptions) {
    this.#options = options;
    this.givenUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
  }

  /** The record that helm has written first. */
  get recorded(): ReleaseRecord | undefined {
    return this.#isRecorded ? this.#pending : undefined;
  }

  /** Why the wait has failed. */
  get failure(): string | undefined {
    return this.#failure;
  }

  async before(request: PassingRequest): Promise<PassingRequest | MadeUpAnswer> {
    await this.#options.gate.pass();
    if (!WRITES.includes(request.method) || isAsking(request)) return this.#placed(request);
    const record = recordIn(request);
    if (request.method === 'POST' && record !== undefined) this.#pending = decodeRecord(record);
    else if (isEnding(record) || this.#isLastHook(request)) await this.#awaitReady();
    else if (record === undefined) return this.#writeObject(request);
    return this.#placed(request);
  }

  after(request: PassingRequest, status: number): void {
    if (request.method === 'POST' && status < 300 && recordIn(request) !== undefined) this.#isRecorded = true;
  }

  async #writeObject(request: PassingRequest): Promise<PassingRequest | MadeUpAnswer> {
    const isFirst = this.#isRecorded && !this.#hasObjects;
    this.#hasObjects = this.#isRecorded;
    if (isFirst) await this.#options.moment('pending');
    const { sabotage } = this.#options;
    return isFirst && sabotage !== undefined ? { status: 500, message: sabotage } : this.#placed(request);
  }

  async #awaitReady(): Promise<void> {
    const pending = this.#pending;
    if (pending === undefined) return;
    this.#readiness ??= this.#askReady(pending);
    this.#failure = await this.#readiness;
    if (this.#failure === undefined) return;
    this.#giveUp?.();
    // Helm is killed in the middle of this request.
    await new Promise<never>(() => undefined);
  }

  async #askReady(pending: ReleaseRecord): Promise<string | undefined> {
    await this.#options.moment('objects');
    return this.#options.ready(pending);
  }

  /** [23]: hooks after the delivery run once the workloads are ready; a former Job of theirs is removed just before. */
  #isLastHook(request: PassingRequest): boolean {
    const object = jsonIn(request);
    const name = asString(at(object, 'metadata', 'name')) ?? request.path.split('/').at(-1) ?? '';
    return asArray(this.#pending?.raw['hooks']).some((hook) => {
      const events = asArray(at(hook, 'events')).map(String);
      const isLast = events.some((event) => event.startsWith('post-') && event !== 'post-delete');
      const isFirst = events.some((event) => event.startsWith('pre-') && event !== 'pre-delete');
      return isLast && !isFirst && at(hook, 'name') === name && isOfKind(request, asString(at(hook, 'kind')) ?? '');
    });
  }

  /** [30]: the records of a release lie in the HelmRelease's namespace, wherever its objects are. */
  #placed(request: PassingRequest): PassingRequest {
    const { releaseNamespace, storageNamespace } = this.#options;
    const secrets = `/api/v1/namespaces/${releaseNamespace}/secrets`;
    if (releaseNamespace === storageNamespace || !request.path.startsWith(secrets)) return request;
    const isOfHelm =
      request.path.startsWith(`${secrets}/${RECORD_NAME}`) ||
      recordIn(request) !== undefined ||
      (request.query.get('labelSelector') ?? '').includes('owner=helm');
    if (!isOfHelm) return request;
    const path = request.path.replace(`/namespaces/${releaseNamespace}/`, `/namespaces/${storageNamespace}/`);
    return { ...request, path };
  }
}

function isAsking({ path, query }: PassingRequest): boolean {
  return query.has('dryRun') || path.startsWith('/apis/authorization.k8s.io/');
}

function isEnding(record: KubeObject | undefined): boolean {
  return ENDED.includes(record?.metadata.labels?.['status'] ?? '');
}

function recordIn(request: PassingRequest): KubeObject | undefined {
  const secret = request.path.includes('/secrets') ? decodeSecret(request.body) : undefined;
  return at(secret, 'type') === RECORD_TYPE ? secret : undefined;
}

function jsonIn({ body }: PassingRequest): unknown {
  if (body[0] !== 0x7b) return undefined;
  return JSON.parse(body.toString('utf8'));
}

/** The plural of a kind begins with all but the last letter of its name. */
function isOfKind({ path, method }: PassingRequest, kind: string): boolean {
  const parts = path.split('/');
  const plural = (method === 'POST' ? parts.at(-1) : parts.at(-2)) ?? '';
  return kind !== '' && plural.startsWith(kind.toLowerCase().slice(0, -1));
}
