import { asString, at, isRecord } from '../../../src/lib/json.ts';
import { applyMergePatch } from '../../../src/embedded/patch/index.ts';
import { kindOfCollection } from './kinds.ts';
import { JSON_TYPE, type Sequence, type Side, type Step, type WireAnswer, type WireRequest } from './request.ts';

export interface Played {
  readonly answers: readonly WireAnswer[];
  /** By collection. */
  readonly events: Readonly<Record<string, readonly unknown[]>>;
}

export const MARKER = 'zz-last';

/** Sends a sequence to one API server, in a namespace of its own. */
export async function play(sequence: Sequence, side: Side, namespace: string): Promise<Played> {
  const client = new Client(side, namespace);
  const start = await client.begin();
  const answers: WireAnswer[] = [];
  for (const step of sequence.steps) answers.push(await client.take(step));
  const events: Record<string, readonly unknown[]> = {};
  for (const collection of sequence.watched) events[collection] = await client.events(collection, start);
  return { answers, events };
}

class Client {
  readonly #side: Side;
  readonly #namespace: string;
  /** What it saw last of each path. */
  readonly #seen = new Map<string, Readonly<Record<string, unknown>>>();
  readonly #first = new Map<string, string>();
  readonly #tokens = new Map<string, string>();

  constructor(side: Side, namespace: string) {
    this.#side = side;
    this.#namespace = namespace;
  }

  async begin(): Promise<string> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: this.#namespace } };
    const answer = await this.#side.send(wire('POST', '/api/v1/namespaces', JSON_TYPE, body));
    if (answer.status !== 201) throw new Error(`no namespace ${this.#namespace}: ${JSON.stringify(answer.body)}`);
    return String(at(answer.body, 'metadata', 'resourceVersion'));
  }

  async take(step: Step): Promise<WireAnswer> {
    const request = this.#fill(step);
    const answer = await this.#side.send(request);
    this.#remember(step, answer);
    return answer;
  }

  async events(collection: string, start: string): Promise<readonly unknown[]> {
    const path = this.#place(collection);
    const marker = { ...kindOfCollection(collection).marker, metadata: { name: MARKER } };
    const answer = await this.#side.send(wire('POST', path, JSON_TYPE, marker));
    if (answer.status !== 201) throw new Error(`no marker in ${path}: ${JSON.stringify(answer.body)}`);
    return this.#side.events(path, start, MARKER);
  }

  #place(path: string): string {
    return path.replace('{ns}', this.#namespace);
  }

  #fill(step: Step): WireRequest {
    const query = new URLSearchParams(
      Object.entries(step.query ?? {}).map(([name, value]): [string, string] => [name, this.#known(value, step.path)]),
    ).toString();
    const path = `${this.#place(step.path)}${query === '' ? '' : `?${query}`}`;
    const body = step.edit === undefined ? step.body : applyMergePatch(this.#base(step.path), step.edit);
    const text = body === undefined ? undefined : this.#known(JSON.stringify(body), step.path);
    return { method: step.method, path, type: step.type ?? JSON_TYPE, body: text };
  }

  #base(path: string): Readonly<Record<string, unknown>> {
    return this.#seen.get(objectPath(path)) ?? {};
  }

  #known(text: string, path: string): string {
    const object = this.#base(path);
    return text
      .replaceAll('{ns}', this.#namespace)
      .replaceAll('@rv', textAt(object, 'resourceVersion') ?? '1')
      .replaceAll('@old', this.#first.get(objectPath(path)) ?? '1')
      .replaceAll('@uid', textAt(object, 'uid') ?? NOBODY)
      .replaceAll('@continue', this.#tokens.get(path) ?? '');
  }

  #remember(step: Step, { status, body }: WireAnswer): void {
    if (status >= 300 || !isRecord(body)) return;
    const token = textAt(body, 'continue');
    if (token !== undefined) this.#tokens.set(step.path, token);
    const name = textAt(body, 'name');
    const isKept = step.query?.['dryRun'] === undefined && !step.path.endsWith('/scale');
    if (name !== undefined && isKept)
      this.#see(step.method === 'POST' ? `${step.path}/${name}` : objectPath(step.path), body);
  }

  #see(path: string, object: Readonly<Record<string, unknown>>): void {
    const version = textAt(object, 'resourceVersion');
    if (!this.#first.has(path) && version !== undefined) this.#first.set(path, version);
    this.#seen.set(path, object);
  }
}

const NOBODY = '00000000-0000-4000-8000-000000000000';

function textAt(object: unknown, field: string): string | undefined {
  return asString(at(object, 'metadata', field));
}

function objectPath(path: string): string {
  return path.replace(/\/(status|scale)$/, '');
}

function wire(method: WireRequest['method'], path: string, type: string, body: unknown): WireRequest {
  return { method, path, type, body: JSON.stringify(body) };
}
