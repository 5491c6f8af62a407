import type { Page } from './http-server.ts';

/** What the operator is doing, for people, and whether it serves its purpose meanwhile. */
export interface Condition {
  readonly ready: boolean;
  readonly text: string;
}

/** What the probes say. An operator that stands by for the Lease is ready: it is there when it is needed. */
export class Health {
  #condition: Condition = { ready: false, text: 'starting' };

  set(condition: Condition): void {
    this.#condition = condition;
  }

  /** Answering at all is what it takes to be alive. */
  live(): Page {
    return plain(200, 'ok');
  }

  ready(): Page {
    const { ready, text } = this.#condition;
    return plain(ready ? 200 : 503, text);
  }
}

function plain(status: number, text: string): Page {
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}
