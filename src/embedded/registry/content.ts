import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { RegistryError } from './registry-error.ts';
import type { Shelf } from './shelf.ts';

interface Repository {
  /** Digests of blobs and manifests that were pushed or mounted here. */
  readonly blobs: Set<string>;
  /** Media types by digest. */
  readonly manifests: Map<string, string>;
  /** Digests of manifests by tag. */
  readonly tags: Map<string, string>;
}

export interface StoredManifest {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes: Buffer;
}

/** Everything a registry holds. Content is shared between repositories, the right to read it is not. */
export class RegistryContent {
  readonly #shelf: Shelf;
  readonly #repositories: Map<string, Repository>;

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
    this.#repositories = parseIndex(shelf.readIndex() ?? '{}');
  }

  hasBlob(name: string, digest: string): boolean {
    return this.#repositories.get(name)?.blobs.has(digest) === true;
  }

  blob(name: string, digest: string): Buffer {
    const bytes = this.hasBlob(name, digest) ? this.#shelf.read(digest) : undefined;
    if (bytes === undefined) throw new RegistryError('BLOB_UNKNOWN', digest);
    return bytes;
  }

  putBlob(name: string, digest: string, bytes: Buffer): void {
    this.#shelf.write(digest, bytes);
    this.#open(name).blobs.add(digest);
    this.#save();
  }

  /** Makes content of another repository readable here; false when it is not there either. */
  mountBlob(name: string, from: string, digest: string): boolean {
    if (!this.hasBlob(from, digest)) return false;
    this.#open(name).blobs.add(digest);
    this.#save();
    return true;
  }

  deleteBlob(name: string, digest: string): void {
    if (this.#repositories.get(name)?.blobs.delete(digest) !== true) throw new RegistryError('BLOB_UNKNOWN', digest);
    this.#drop(digest);
    this.#save();
  }

  /** By tag or by digest. */
  manifest(name: string, reference: string): StoredManifest {
    const repository = this.#repositories.get(name);
    const digest = repository?.tags.get(reference) ?? reference;
    const mediaType = repository?.manifests.get(digest);
    const bytes = mediaType === undefined ? undefined : this.#shelf.read(digest);
    if (mediaType === undefined || bytes === undefined)
      throw new RegistryError('MANIFEST_UNKNOWN', { name, reference });
    return { digest, mediaType, bytes };
  }

  hasManifest(name: string, digest: string): boolean {
    return this.#repositories.get(name)?.manifests.has(digest) === true;
  }

  putManifest(name: string, { digest, mediaType, bytes }: StoredManifest, tag: string | undefined): void {
    this.#shelf.write(digest, bytes);
    const repository = this.#open(name);
    repository.manifests.set(digest, mediaType);
    if (tag !== undefined) repository.tags.set(tag, digest);
    this.#save();
  }

  /** A tag alone, or a manifest with all its tags. */
  deleteManifest(name: string, reference: string): void {
    const { digest } = this.manifest(name, reference);
    const { manifests, tags } = this.#open(name);
    if (reference === digest) {
      manifests.delete(digest);
      for (const [tag, tagged] of tags) if (tagged === digest) tags.delete(tag);
      this.#drop(digest);
    } else tags.delete(reference);
    this.#save();
  }

  tags(name: string): readonly string[] {
    const tags = this.#repositories.get(name)?.tags;
    if (tags === undefined) throw new RegistryError('NAME_UNKNOWN', { name });
    return [...tags.keys()].sort();
  }

  #open(name: string): Repository {
    const known = this.#repositories.get(name);
    if (known !== undefined) return known;
    const made: Repository = { blobs: new Set(), manifests: new Map(), tags: new Map() };
    this.#repositories.set(name, made);
    return made;
  }

  /** Forgets bytes that nobody holds any more. */
  #drop(digest: string): void {
    const held = [...this.#repositories.values()].some(
      ({ blobs, manifests }) => blobs.has(digest) || manifests.has(digest),
    );
    if (!held) this.#shelf.remove(digest);
  }

  #save(): void {
    const written = [...this.#repositories].map(([name, { blobs, manifests, tags }]) => [
      name,
      { blobs: [...blobs], manifests: Object.fromEntries(manifests), tags: Object.fromEntries(tags) },
    ]);
    this.#shelf.writeIndex(JSON.stringify(Object.fromEntries(written)));
  }
}

function parseIndex(text: string): Map<string, Repository> {
  const index: unknown = JSON.parse(text);
  return new Map(
    entriesOf(index).map(([name, value]) => {
      const repository: Repository = {
        blobs: new Set(asArray(at(value, 'blobs')).map((digest) => asString(digest) ?? '')),
        manifests: stringMap(at(value, 'manifests')),
        tags: stringMap(at(value, 'tags')),
      };
      return [name, repository];
    }),
  );
}

function stringMap(value: unknown): Map<string, string> {
  return new Map(entriesOf(value).map(([key, held]) => [key, asString(held) ?? '']));
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : [];
}
