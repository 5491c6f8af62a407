import { asKubepkgError, type KubepkgError } from '../api/errors.ts';
import type { TurnResult } from '../engine/engine.ts';
import type { Metrics } from '../ports/metrics.ts';
import type { Clock, Log } from '../ports/system.ts';

export interface TurnDeps {
  readonly reconcile: (packageName: string) => Promise<TurnResult>;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly log: Log;
}

/** Turns of packages, measured, and logged when they fail. A fault of ours in one of them stays in that one. */
export function createTurn(deps: TurnDeps): (packageName: string) => Promise<TurnResult> {
  return async (name) => {
    const started = deps.clock.now();
    const result = await attempt(deps, name);
    // The clock of the machine may have been set back meanwhile.
    const durationMs = Math.max(0, deps.clock.now() - started);
    deps.metrics.observeTurn({ result: result.kind, durationMs });
    if (result.kind === 'failed') logFailure(deps.log, name, result.error);
    return result;
  };
}

async function attempt(deps: TurnDeps, name: string): Promise<TurnResult> {
  try {
    return await deps.reconcile(name);
  } catch (thrown) {
    return { kind: 'failed', error: asKubepkgError(thrown) };
  }
}

function logFailure(log: Log, name: string, error: KubepkgError): void {
  if (error.class === 'bug') {
    log.error('a turn failed by a fault of kubepkg; it is tried again', { package: name, error });
    return;
  }
  const { code, message, hint } = error;
  log.warn('a turn failed and is tried again', { package: name, code, error: message, hint });
}
