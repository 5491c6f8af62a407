import { expect, vi } from 'vitest';
import type { ApiAccess } from '../../dev/controlplane/api-client.ts';
import { callApi, mustCallApi } from '../../dev/controlplane/api-client.ts';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';

export interface ContainerStatus {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state?: {
    readonly running?: object;
    readonly waiting?: { readonly reason: string };
    readonly terminated?: { readonly exitCode: number; readonly reason: string };
  };
  readonly lastState?: { readonly terminated?: { readonly exitCode: number } };
}

export interface KubeObject {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec?: {
    readonly nodeName?: string;
    readonly volumeName?: string;
    readonly taints?: readonly { readonly key: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly readyReplicas?: number;
    readonly numberReady?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export const NAMESPACE = '/api/v1/namespaces/default';

/** As much of a client as these tests need. */
export class Cluster {
  readonly #access: ApiAccess;

  constructor(plane: ControlPlane) {
    this.#access = { url: plane.url, ca: plane.ca, token: plane.tokenFor('admin') };
  }

  async create(path: string, body: object): Promise<void> {
    await mustCallApi(this.#access, { method: 'POST', path, body });
  }

  async read(path: string): Promise<KubeObject | undefined> {
    const { status, body } = await callApi(this.#access, { path });
    if (status === 404) return undefined;
    return JSON.parse(body) as KubeObject;
  }

  async mustRead(path: string): Promise<KubeObject> {
    return (await mustCallApi(this.#access, { path })) as KubeObject;
  }

  async list(path: string): Promise<readonly KubeObject[]> {
    return ((await mustCallApi(this.#access, { path })) as { readonly items: readonly KubeObject[] }).items;
  }

  async remove(path: string): Promise<void> {
    await mustCallApi(this.#access, { method: 'DELETE', path });
  }

  async annotate(path: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    const contentType = 'application/merge-patch+json';
    await mustCallApi(this.#access, { method: 'PATCH', path, contentType, body: { metadata: { annotations } } });
  }

  /** The object once it is as wanted; fails with what it was last. */
  async until(path: string, wanted: (object: KubeObject) => boolean, seconds = 20): Promise<KubeObject> {
    const check = async (): Promise<KubeObject> => {
      const object = await this.read(path);
      if (object !== undefined && wanted(object)) return object;
      throw new Error(`${path} did not become as wanted: ${JSON.stringify(object?.status)}`);
    };
    return vi.waitFor(check, { timeout: seconds * 1000, interval: 50 });
  }

  async untilGone(path: string, seconds = 20): Promise<void> {
    const options = { timeout: seconds * 1000, interval: 50 };
    await vi.waitFor(async () => expect(await this.read(path)).toBeUndefined(), options);
  }

  /** Returns the pod's path. */
  async startPod(name: string, wishes: PodWishes = {}): Promise<string> {
    const { metadata, spec } = podTemplate(wishes);
    await this.create(`${NAMESPACE}/pods`, { kind: 'Pod', apiVersion: 'v1', metadata: { ...metadata, name }, spec });
    return `${NAMESPACE}/pods/${name}`;
  }

  /** Returns the job's path. */
  async startJob(name: string, wishes: PodWishes, backoffLimit = 0): Promise<string> {
    const template = podTemplate({ ...wishes, spec: { restartPolicy: 'Never', ...wishes.spec } });
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const spec = { backoffLimit, template };
    await this.create(jobs, { kind: 'Job', apiVersion: 'batch/v1', metadata: { name }, spec });
    return `${jobs}/${name}`;
  }
}

export function isReady(object: KubeObject): boolean {
  return condition(object, 'Ready')?.status === 'True';
}

export function condition(object: KubeObject, type: string): { status: string; reason?: string } | undefined {
  return object.status?.conditions?.find((candidate) => candidate.type === type);
}

/** Of a pod's first container. */
export function container(object: KubeObject): ContainerStatus {
  const status = object.status?.containerStatuses?.[0];
  if (status === undefined) throw new Error(`${object.metadata.name} has no container status yet.`);
  return status;
}

export function waitingFor(object: KubeObject): string | undefined {
  return object.status?.containerStatuses?.[0]?.state?.waiting?.reason;
}

export interface PodWishes {
  readonly sim?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

export function podTemplate({ sim = {}, spec = {} }: PodWishes): { metadata: object; spec: object } {
  const annotations = Object.fromEntries(Object.entries(sim).map(([key, value]) => [`sim.kubepkg.dev/${key}`, value]));
  return { metadata: { annotations }, spec: { containers: [{ name: 'main', image: 'example/main:1' }], ...spec } };
}
