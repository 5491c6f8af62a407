import type { JsonMap } from '../../../src/embedded/model/object.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * One request of a sequence. `{ns}` in the path is the namespace of the sequence. Texts that stand for what a client
 * knows from earlier answers: `@rv` (the newest resource version of the path), `@old` (the first), `@uid`, `@continue`
 * (of the last list).
 */
export interface Step {
  readonly method: Method;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
  readonly body?: unknown;
  /** Of a PUT: what the client changes, as a merge patch, in the object that it saw last. */
  readonly edit?: JsonMap;
}

export interface Sequence {
  readonly seed: string;
  readonly steps: readonly Step[];
  /** Collections whose events are compared at the end. */
  readonly watched: readonly string[];
}

/** A request with nothing left to fill in. */
export interface WireRequest {
  readonly method: Method;
  readonly path: string;
  readonly type: string;
  readonly body: string | undefined;
}

export interface WireAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly warnings: readonly string[];
}

/** An API server that sequences are sent to. */
export interface Side {
  send(request: WireRequest): Promise<WireAnswer>;
  /** The events of a collection after a resource version, up to the one of the object with the given name. */
  events(collection: string, resourceVersion: string, last: string): Promise<readonly unknown[]>;
}

export const JSON_TYPE = 'application/json';
export const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;
