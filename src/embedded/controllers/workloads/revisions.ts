import { apiVersionOf } from '../../model/resource.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import type { Hand } from '../kit/hand.ts';
import type { Cache } from '../kit/informers.ts';
import { CONTROLLER_REVISIONS } from '../kit/kinds.ts';
import { controllerReference } from '../kit/owners.ts';
import { labelsAt, mapAt, numberAt } from '../kit/read.ts';
import { TemplateHashes } from '../kit/template.ts';

export interface Revision {
  readonly name: string;
  readonly hash: string;
  readonly template: JsonMap;
}

export interface RevisionTools {
  readonly cache: Cache;
  readonly hand: Hand;
  /** Label of the revision that tells its hash. */
  readonly label: string;
}

/** The history of a StatefulSet's or DaemonSet's template. */
export class Revisions {
  readonly #tools: RevisionTools;
  readonly #hashes = new TemplateHashes();

  constructor(tools: RevisionTools) {
    this.#tools = tools;
  }

  /** That of the template as it is now, which becomes the newest when it was there before. */
  ensure(owner: StoredObject): Revision {
    const template = mapAt(owner, 'spec', 'template');
    const hash = this.#hashes.of(owner);
    const name = `${owner.metadata.name}-${hash}`;
    const all = this.#tools.cache.ownedBy(owner.metadata.uid);
    const existing = all.find(({ metadata }) => metadata.name === name);
    const highest = all.reduce((most, each) => Math.max(most, numberAt(each, 'revision') ?? 0), 0);
    if (existing === undefined) this.#create(owner, { hash, name, template }, highest + 1);
    else if (numberAt(existing, 'revision') !== highest) {
      this.#tools.hand.merge(CONTROLLER_REVISIONS, existing, { revision: highest + 1 });
    }
    return { name, hash, template };
  }

  find(owner: StoredObject, name: string): Revision | undefined {
    const found = this.#tools.cache.get(owner.metadata.namespace ?? '', name);
    if (found === undefined) return undefined;
    const template = mapAt(found, 'data', 'spec', 'template');
    return { name, hash: found.metadata.labels?.[this.#tools.label] ?? '', template: withoutDirective(template) };
  }

  /** Those that no pod uses, down to the limit. */
  trim(owner: StoredObject, used: ReadonlySet<string>): void {
    const limit = numberAt(owner, 'spec', 'revisionHistoryLimit') ?? 10;
    const idle = this.#tools.cache
      .ownedBy(owner.metadata.uid)
      .filter(({ metadata }) => !used.has(metadata.name))
      .sort((a, b) => (numberAt(a, 'revision') ?? 0) - (numberAt(b, 'revision') ?? 0));
    for (const revision of idle.slice(0, Math.max(0, idle.length - limit))) {
      this.#tools.hand.remove(CONTROLLER_REVISIONS, revision);
    }
  }

  #create(owner: StoredObject, { hash, name, template }: Revision, revision: number): void {
    this.#tools.hand.create(CONTROLLER_REVISIONS, {
      apiVersion: apiVersionOf(CONTROLLER_REVISIONS),
      kind: CONTROLLER_REVISIONS.kind,
      metadata: {
        name,
        namespace: owner.metadata.namespace,
        labels: { ...labelsAt(template, 'metadata', 'labels'), [this.#tools.label]: hash },
        ownerReferences: [controllerReference(owner)],
      },
      data: { spec: { template: { $patch: 'replace', ...template } } },
      revision,
    });
  }
}

function withoutDirective({ $patch: _patch, ...template }: JsonMap): JsonMap {
  return template;
}
