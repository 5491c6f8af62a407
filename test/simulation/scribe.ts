import type { KubeObject } from '../../src/api/kube.ts';
import type { Log, LogFields, RecordedEvent, Recorder } from '../../src/ports/system.ts';
import type { Ledger } from './ledger.ts';
import type { Trace } from './trace.ts';

/** Every secret value of a simulation holds this. */
export const SECRET = 'hunter2';

/** Reads all that the operator writes for people; a secret value among it is a violation (I10). */
export class Scribe implements Recorder {
  readonly #ledger: Ledger;
  readonly #trace: Trace;

  constructor(ledger: Ledger, trace: Trace) {
    this.#ledger = ledger;
    this.#trace = trace;
  }

  record(about: KubeObject, { type, reason, message }: RecordedEvent): void {
    this.inspect('an event', message);
    this.#trace.add('event', `${about.metadata.name} ${type} ${reason}: ${message}`);
  }

  log(): Log {
    const write = (message: string, fields: LogFields = {}): void => {
      this.inspect('the log', message);
      this.inspect('the log', fields);
    };
    return { error: write, warn: write, info: write, debug: write };
  }

  inspect(where: string, what: unknown): void {
    const text = typeof what === 'string' ? what : JSON.stringify(what, plainError);
    if (text.includes(SECRET)) this.#ledger.violate('I10', `a secret value is in ${where}: ${text.slice(0, 200)}`);
  }
}

function plainError(_key: string, value: unknown): unknown {
  return value instanceof Error ? value.message : value;
}
