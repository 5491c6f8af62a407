import { apiVersionOf } from '../../model/resource.ts';
import { stableJson } from '../../../lib/stable-json.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { PODS } from './kinds.ts';
import { controllerReference } from './owners.ts';
import { labelsAt, mapAt } from './read.ts';

const SAFE_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A short name for a pod template, in the letters of Kubernetes: FNV-1a of what it says, so the same for the same template. */
function templateHash(template: unknown): string {
  const text = stableJson(template);
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash ^= text.charCodeAt(at);
    hash = Math.imul(hash, 0x01000193) >>> 0;
  }
  return Array.from(String(hash), (digit) => SAFE_LETTERS[digit.charCodeAt(0) % SAFE_LETTERS.length] ?? '').join('');
}

/** Hashes of the templates of workloads, each computed once for a generation. */
export class TemplateHashes {
  readonly #known = new Map<string, { readonly generation: number | undefined; readonly hash: string }>();

  of(workload: StoredObject): string {
    const { uid, generation } = workload.metadata;
    const known = this.#known.get(uid);
    if (known !== undefined && known.generation === generation) return known.hash;
    const hash = templateHash(mapAt(workload, 'spec', 'template'));
    this.#known.set(uid, { generation, hash });
    return hash;
  }

  forget(uid: string): void {
    this.#known.delete(uid);
  }
}

export interface PodOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  /** By default it gets one from the owner's name. */
  readonly name?: string;
  readonly generateName?: string;
  readonly spec?: JsonMap;
}

/** A pod of the owner's template. */
export function podFromTemplate(owner: StoredObject, template: unknown, options: PodOptions = {}): JsonMap {
  const labels = { ...labelsAt(template, 'metadata', 'labels'), ...options.labels };
  const annotations = { ...labelsAt(template, 'metadata', 'annotations'), ...options.annotations };
  const name =
    options.name === undefined
      ? { generateName: options.generateName ?? `${owner.metadata.name}-` }
      : { name: options.name, ...(options.generateName === undefined ? {} : { generateName: options.generateName }) };
  return {
    apiVersion: apiVersionOf(PODS),
    kind: PODS.kind,
    metadata: {
      ...name,
      namespace: owner.metadata.namespace,
      ...(Object.keys(labels).length === 0 ? {} : { labels }),
      ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
      ...(options.finalizers === undefined ? {} : { finalizers: options.finalizers }),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...mapAt(template, 'spec'), ...options.spec },
  };
}
