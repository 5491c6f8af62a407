import type { KubeObject } from '../api/kube.ts';

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds that neither a sleep of the machine nor a correction of its clock adds to; only their differences mean anything. */
  steady(): number;
  /** Calls back once after so many milliseconds. */
  after(ms: number, callback: () => void): Timer;
  /** A number from 0 up to 1, for jitter. */
  random(): number;
}

export type LogFields = Readonly<Record<string, unknown>>;

/** Constant message plus fields. `error`: our bug; `warn`: the operator's; `info`: the user's. */
export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
}

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Kubernetes Events about an object; equal ones are counted, not repeated. Never throws: an event that cannot be written is logged. */
export interface Recorder {
  record(about: KubeObject, event: RecordedEvent): void;
}
