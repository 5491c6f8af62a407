import { apiVersionOf } from '../../model/resource.ts';
import type { Clock } from '../../../ports/system.ts';
import { formatSeconds } from '../../../lib/time.ts';
import type { EmbeddedApi } from '../../model/api.ts';
import type { StoredObject } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { EVENTS } from './kinds.ts';

export interface Occurrence {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** As `spec.containers{web}`. */
  readonly fieldPath?: string;
}

/** Tells of something that happened to an object. */
export type Tell = (about: StoredObject, occurrence: Occurrence) => void;

interface Told {
  readonly namespace: string;
  readonly name: string;
  readonly count: number;
}

export interface RecorderOptions {
  readonly api: EmbeddedApi;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Events as client-go writes them: what happens again is counted in the Event that is there. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #told = new Map<string, Map<string, Told>>();

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  by(component: string, host = ''): Tell {
    return (about, occurrence) => {
      const { type, reason, message, fieldPath = '' } = occurrence;
      const { uid } = about.metadata;
      const key = [component, type, reason, message, fieldPath].join('\n');
      const known = this.#told.get(uid) ?? new Map<string, Told>();
      const told = known.get(key);
      const next = this.#tryTo(() => this.#again(told) ?? this.#first(about, { ...occurrence, component, host }));
      if (next !== undefined) this.#told.set(uid, known.set(key, next));
    };
  }

  /** It is gone, and nothing more will be told of it. */
  forget(uid: string): void {
    this.#told.delete(uid);
  }

  #again(told: Told | undefined): Told | undefined {
    if (told === undefined) return undefined;
    const { group, version, plural } = EVENTS;
    const { namespace, name } = told;
    const count = told.count + 1;
    const body = { count, lastTimestamp: formatSeconds(this.#options.clock.now()) };
    const written = this.#tryTo(() =>
      this.#options.api.patch({ group, version, plural, namespace, name }, { type: 'merge', body }),
    );
    return written === undefined ? undefined : { ...told, count };
  }

  #first(about: StoredObject, what: Occurrence & { readonly component: string; readonly host: string }): Told {
    const namespace = about.metadata.namespace ?? 'default';
    const name = `${about.metadata.name}.${this.#suffix()}`;
    const time = formatSeconds(this.#options.clock.now());
    const { group, version, plural } = EVENTS;
    const event = {
      apiVersion: apiVersionOf(EVENTS),
      kind: EVENTS.kind,
      metadata: { name, namespace },
      involvedObject: referenceTo(about, what.fieldPath),
      reason: what.reason,
      message: what.message,
      source: what.host === '' ? { component: what.component } : { component: what.component, host: what.host },
      firstTimestamp: time,
      lastTimestamp: time,
      count: 1,
      type: what.type,
      eventTime: null,
      reportingComponent: what.component,
      reportingInstance: what.host,
    };
    this.#options.api.create({ group, version, plural, namespace }, event, { fieldManager: what.component });
    return { namespace, name, count: 1 };
  }

  /** An Event that is refused, in a namespace that is being deleted say, is lost, as in a real cluster. */
  #tryTo<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (error instanceof StatusError) return undefined;
      throw error;
    }
  }

  #suffix(): string {
    return Array.from({ length: 16 }, () => Math.floor(this.#options.random() * 16).toString(16)).join('');
  }
}

function referenceTo(about: StoredObject, fieldPath: string | undefined): Readonly<Record<string, unknown>> {
  const { namespace, name, uid, resourceVersion } = about.metadata;
  return {
    kind: about.kind,
    ...(namespace === undefined ? {} : { namespace }),
    name,
    uid,
    apiVersion: about.apiVersion,
    resourceVersion,
    ...(fieldPath === undefined ? {} : { fieldPath }),
  };
}
