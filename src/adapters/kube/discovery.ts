import { KubepkgError } from '../../api/errors.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { ServedKind } from '../../ports/cluster.ts';
import type { Clock } from '../../ports/system.ts';
import { refusalError } from './errors.ts';
import type { HttpResponse } from './exchange.ts';
import { parseJson } from './parse-json.ts';
import { groupVersionPath } from './paths.ts';

/** A kind that was not there is looked up again no sooner than this. */
const RETRY_MS = 1000;
/** What was found is believed so long, unless a request finds it gone. */
const FRESH_MS = 600_000;

type Fetch = (path: string) => Promise<HttpResponse>;

interface GroupVersion {
  readonly kinds: ReadonlyMap<string, ServedKind>;
  readonly readAt: number;
}

/** Which kinds the server has, learned one group version at a time. */
export class Discovery {
  readonly #fetch: Fetch;
  readonly #clock: Clock;
  readonly #known = new Map<string, GroupVersion>();
  readonly #reading = new Map<string, Promise<GroupVersion>>();

  constructor(fetch: Fetch, clock: Clock) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  async served(apiVersion: string, kind: string): Promise<ServedKind | undefined> {
    const known = this.#known.get(apiVersion);
    const found = known?.kinds.get(kind);
    if (known !== undefined && this.#isBelieved(known, found)) return found;
    return (await this.#read(apiVersion)).kinds.get(kind);
  }

  /** Some kind of a group version, as the server has it now. */
  async some(apiVersion: string): Promise<ServedKind | undefined> {
    const [first] = (await this.#read(apiVersion)).kinds.values();
    return first;
  }

  /** A request found the path unknown: what was learned before is void. */
  forget(apiVersion: string): void {
    this.#known.delete(apiVersion);
  }

  #isBelieved(known: GroupVersion, found: ServedKind | undefined): boolean {
    const age = this.#clock.now() - known.readAt;
    return age >= 0 && age < (found === undefined ? RETRY_MS : FRESH_MS);
  }

  #read(apiVersion: string): Promise<GroupVersion> {
    const running = this.#reading.get(apiVersion);
    if (running !== undefined) return running;
    const reading = this.#readNow(apiVersion).finally(() => {
      this.#reading.delete(apiVersion);
    });
    this.#reading.set(apiVersion, reading);
    return reading;
  }

  async #readNow(apiVersion: string): Promise<GroupVersion> {
    const response = await this.#fetch(groupVersionPath(apiVersion));
    if (response.status !== 200 && response.status !== 404) {
      throw refusalError({ what: `discover the kinds of ${apiVersion}` }, response);
    }
    const kinds = response.status === 404 ? new Map<string, ServedKind>() : kindsOf(parseJson(response.body));
    const read = { kinds, readAt: this.#clock.now() };
    this.#known.set(apiVersion, read);
    return read;
  }
}

export function notServed(apiVersion: string, kind: string): KubepkgError {
  return new KubepkgError('KindNotServed', `the API server does not serve ${kind} of ${apiVersion}`, {
    hint: 'install the CustomResourceDefinition that defines it, or correct apiVersion and kind',
  });
}

function kindsOf(list: unknown): ReadonlyMap<string, ServedKind> {
  const kinds = new Map<string, ServedKind>();
  for (const resource of asArray(at(list, 'resources'))) {
    const plural = asString(at(resource, 'name'));
    const kind = asString(at(resource, 'kind'));
    // Subresources are listed beside the kinds, as `deployments/scale`.
    if (plural === undefined || kind === undefined || plural.includes('/') || kinds.has(kind)) continue;
    kinds.set(kind, { plural, namespaced: at(resource, 'namespaced') === true });
  }
  return kinds;
}
