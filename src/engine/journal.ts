import { type KubeObject, type ObjectRef, refKey, refOf } from '../api/kube.ts';
import { API_VERSION, LABEL } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageRevision } from '../api/package-revision.ts';
import type { PackageSource } from '../api/package-source.ts';
import { parsePackage, parsePackageRevision, parsePackageSource, type Parsed } from '../api/parse.ts';
import { withAdditions } from '../domain/release/additions.ts';
import { memoize } from '../lib/memoize.ts';
import type { Cluster, WriteRequest } from '../ports/cluster.ts';
import { ObjectStore } from './object-store.ts';

export interface JournalEvents {
  readonly onPackage: (name: string) => void;
  readonly onSource: (name: string) => void;
  readonly onRevision: (pkg: string) => void;
}

/** Our own objects as the API server has them, with what this process wrote last; every write names the version it builds on. */
export class Journal {
  readonly #cluster: Cluster;
  readonly #packages: ObjectStore;
  readonly #sources: ObjectStore;
  readonly #revisions: ObjectStore;
  readonly #doubtful = new Map<string, ObjectRef>();

  constructor(cluster: Cluster, events: JournalEvents) {
    this.#cluster = cluster;
    const select = (kind: string): { apiVersion: string; kind: string } => ({ apiVersion: API_VERSION, kind });
    this.#packages = new ObjectStore(select('Package'), (object) => {
      events.onPackage(object.metadata.name);
    });
    this.#sources = new ObjectStore(select('PackageSource'), (object) => {
      events.onSource(object.metadata.name);
    });
    this.#revisions = new ObjectStore(select('PackageRevision'), (object) => {
      const pkg = object.metadata.labels?.[LABEL.package];
      if (pkg !== undefined) events.onRevision(pkg);
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.#packages, this.#sources, this.#revisions].map((store) => store.start(this.#cluster)));
  }

  stop(): void {
    for (const store of [this.#packages, this.#sources, this.#revisions]) store.stop();
  }

  packageNames(): readonly string[] {
    return this.#packages.all().map((object) => object.metadata.name);
  }

  /** The package as the API server has it, before it is parsed. */
  rawPackage(name: string): KubeObject | undefined {
    return this.#packages.get(name);
  }

  package(name: string): Parsed<Package> | undefined {
    const object = this.#packages.get(name);
    return object === undefined ? undefined : parsePackage(object);
  }

  source(name: string): Parsed<PackageSource> | undefined {
    const object = this.#sources.get(name);
    return object === undefined ? undefined : parsePackageSource(object);
  }

  sourceGeneration(name: string): number | undefined {
    return this.#sources.get(name)?.metadata.generation;
  }

  sources(): readonly PackageSource[] {
    return this.#sources.all().flatMap((object) => {
      const parsed = parsePackageSource(object);
      return parsed.ok ? [parsed.value] : [];
    });
  }

  /** Of one package, oldest first; those that a former package of the same name left behind are not its own. */
  revisions(pkg: Package): readonly PackageRevision[] {
    const { name, uid } = pkg.metadata;
    const own = this.#revisions
      .ofPackage(name)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    const parsed = own.map((object) => {
      const revision = parseRevision(object);
      if (revision.ok) return revision.value;
      throw revision.error;
    });
    return parsed.sort((a, b) => a.spec.revision - b.spec.revision);
  }

  rawRevision(name: string): KubeObject | undefined {
    return this.#revisions.get(name);
  }

  async write(request: WriteRequest): Promise<KubeObject> {
    const ref = 'object' in request ? refOf(request.object) : request.ref;
    try {
      const object = await this.#cluster.write(request);
      if (object.apiVersion === API_VERSION && request.verb !== 'delete') this.#storeOf(object.kind)?.written(object);
      return object;
    } catch (error) {
      this.#doubtful.set(refKey(ref), ref);
      throw error;
    }
  }

  /**
   * A write that failed may have happened all the same, or has shown that something newer is there than the watch has
   * brought: nothing is decided before such objects were read live.
   */
  async settleDoubts(): Promise<void> {
    for (const [key, ref] of this.#doubtful) {
      const object = await this.#cluster.read(ref);
      if (object !== undefined) this.#storeOf(ref.kind)?.found(object);
      // Another write may have failed meanwhile: that doubt is not settled by what was read before.
      if (this.#doubtful.get(key) === ref) this.#doubtful.delete(key);
    }
  }

  /** Replaces the status of an object of ours; fails when somebody changed the object since it was read. */
  async writeStatus(object: KubeObject, status: unknown): Promise<void> {
    await this.write({ verb: 'replace', subresource: 'status', object: { ...object, status } });
  }

  #storeOf(kind: string): ObjectStore | undefined {
    const stores: Readonly<Record<string, ObjectStore>> = {
      Package: this.#packages,
      PackageSource: this.#sources,
      PackageRevision: this.#revisions,
    };
    return stores[kind];
  }
}

/** One that was taken over is completed with what was found out about it. */
const parseRevision = memoize((object: KubeObject): Parsed<PackageRevision> => {
  const parsed = parsePackageRevision(object);
  return parsed.ok ? { ...parsed, value: withAdditions(parsed.value) } : parsed;
});
