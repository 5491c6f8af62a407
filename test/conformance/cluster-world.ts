import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { ErrorCode } from '../../src/api/errors.ts';
import type { KubeObject, ObjectRef } from '../../src/api/kube.ts';
import type { Cluster, Selection } from '../../src/ports/cluster.ts';

/** What not every implementation has; the cases of the others hold for all. */
export type ClusterCapability =
  /** Users with different rights. */
  | 'authorization'
  /** Objects are checked against their schema. */
  | 'validation'
  /** Connections that can break. */
  | 'connections';

export interface ClusterHarness {
  readonly cluster: Cluster;
  /** The same server as a user without rights. */
  readonly powerless?: Cluster;
  /** Breaks every connection. */
  interrupt?(): void;
  close(): Promise<void>;
}

export interface ConformanceOptions {
  readonly capabilities: readonly ClusterCapability[];
  start(): Promise<ClusterHarness>;
}

/** The cluster under test, once it runs, and a namespace of the run's own. */
export class World {
  readonly namespace = `conformance-${randomUUID().slice(0, 8)}`;
  readonly #options: ConformanceOptions;
  #harness: ClusterHarness | undefined;

  constructor(options: ConformanceOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#harness = await this.#options.start();
    await this.create(namespaceObject(this.namespace));
  }

  async close(): Promise<void> {
    await this.#harness?.close();
  }

  get harness(): ClusterHarness {
    if (this.#harness === undefined) throw new Error('the cluster was not started');
    return this.#harness;
  }

  get cluster(): Cluster {
    return this.harness.cluster;
  }

  create(object: KubeObject): Promise<KubeObject> {
    return this.cluster.write({ verb: 'create', object });
  }

  configMap(name: string, data: Readonly<Record<string, string>> = { color: 'red' }): KubeObject {
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: this.namespace }, data };
  }

  ref(name: string): ObjectRef {
    return { apiVersion: 'v1', kind: 'ConfigMap', namespace: this.namespace, name };
  }

  configMaps(labelSelector?: string): Selection {
    const base = { apiVersion: 'v1', kind: 'ConfigMap', namespace: this.namespace };
    return labelSelector === undefined ? base : { ...base, labelSelector };
  }
}

export function namespaceObject(name: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function labelled(object: KubeObject, labels: Readonly<Record<string, string>>): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels } };
}

export function withData(object: KubeObject, data: Readonly<Record<string, string>>): KubeObject {
  return { ...object, data };
}

export async function expectCode(work: Promise<unknown>, code: ErrorCode): Promise<void> {
  await expect(work).rejects.toMatchObject({ name: 'KubepkgError', code });
}

/** A built-in kind whose status nothing fills in by itself. */
export function ingress(namespace: string, name: string, service = 'one'): KubeObject {
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, namespace },
    spec: ingressSpec(service),
  };
}

export function ingressSpec(service: string): unknown {
  return { defaultBackend: { service: { name: service, port: { number: 80 } } } };
}

export function ingressStatus(ip: string): unknown {
  return { loadBalancer: { ingress: [{ ip }] } };
}
