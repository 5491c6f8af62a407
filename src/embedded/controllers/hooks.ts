import type { Admission, LogSource } from '../model/api.ts';
import { LogBook, type StoredLogs } from './pods/log-book.ts';

/** What the API server asks of the simulation: made before it, and brought to life by `startControllers`. */
export interface SimulationHooks {
  readonly logs: LogSource;
  /** Refuses by throwing a StatusError: quotas, and webhooks of the scenario. */
  readonly admit: (request: Admission) => void;
}

export type Judge = (request: Admission) => void;

/** Made by `simulationHooks` only. */
export class Hooks implements SimulationHooks {
  readonly logs: LogBook;
  #judges: readonly Judge[] = [];

  constructor(logs?: StoredLogs) {
    this.logs = new LogBook(logs);
  }

  readonly admit = (request: Admission): void => {
    for (const judge of this.#judges) judge(request);
  };

  judgeBy(judges: readonly Judge[]): void {
    this.#judges = judges;
  }
}

/** `logs` is what containers have written already. */
export function simulationHooks(logs?: StoredLogs): Hooks {
  return new Hooks(logs);
}
