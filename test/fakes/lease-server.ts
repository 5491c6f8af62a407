import { KubepkgError } from '../../src/api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef, refOf } from '../../src/api/kube.ts';
import type { Cluster, WriteRequest } from '../../src/ports/cluster.ts';

/** Leases, with the server's rule about resource versions and nothing else; faults are injected by the test. */
export class LeaseServer {
  #stored: KubeObject | undefined;
  #version = 0;
  readonly writes: WriteRequest[] = [];

  get lease(): KubeObject | undefined {
    return this.#stored;
  }

  get spec(): Readonly<Record<string, unknown>> {
    return (this.#stored?.['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  }

  /** As somebody else would write it. */
  put(spec: Readonly<Record<string, unknown>>): void {
    this.#store({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'operator', namespace: 'system' },
      spec,
    });
  }

  remove(): void {
    this.#stored = undefined;
  }

  read(_ref: ObjectRef): KubeObject | undefined {
    return this.#stored;
  }

  write(request: WriteRequest): KubeObject {
    this.writes.push(request);
    if (request.verb !== 'create' && request.verb !== 'replace')
      throw new Error(`a lease is not written by ${request.verb}`);
    const name = nameOf(refOf(request.object));
    if (request.verb === 'create') {
      if (this.#stored !== undefined) throw new KubepkgError('ApiAlreadyExists', `${name} exists`);
    } else {
      this.#check(request.object, name);
    }
    return this.#store(request.object);
  }

  #check(object: KubeObject, name: string): void {
    if (this.#stored === undefined) throw new KubepkgError('ApiNotFound', `${name} does not exist`);
    if (object.metadata.resourceVersion !== this.#stored.metadata.resourceVersion) {
      throw new KubepkgError('ApiConflict', `${name} was changed`);
    }
  }

  #store(object: KubeObject): KubeObject {
    this.#version += 1;
    this.#stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
    return this.#stored;
  }
}

export type LeaseFault = 'unreachable' | 'hangs' | 'response-lost';

/** One process's way to the server, which can fail. */
export class LeaseClient implements Pick<Cluster, 'read' | 'write'> {
  fault: LeaseFault | undefined;
  readonly #server: LeaseServer;

  constructor(server: LeaseServer) {
    this.#server = server;
  }

  read(ref: ObjectRef): Promise<KubeObject | undefined> {
    return this.#call(() => this.#server.read(ref));
  }

  write(request: WriteRequest): Promise<KubeObject> {
    return this.#call(() => this.#server.write(request));
  }

  async #call<T>(action: () => T): Promise<T> {
    await Promise.resolve();
    if (this.fault === 'hangs') return new Promise<T>(() => undefined);
    if (this.fault !== 'unreachable') {
      const result = action();
      if (this.fault === undefined) return result;
    }
    throw new KubepkgError('ApiUnreachable', 'no answer');
  }
}
