import { asKubepkgError } from '../api/errors.ts';
import { createClock } from '../compose/clock.ts';
import { createLog } from '../compose/log.ts';
import { createOperatorParts, type OperatorParts } from '../compose/operator.ts';
import type { OperatorOptions } from './operator-options.ts';
import { EXIT_FAILED, Operator } from './operator.ts';

/**
 * Runs the operator until it is asked to stop or loses its Lease, and ends the process then: nothing may outlive the
 * Lease. Rejects when it cannot even begin.
 */
export async function runOperator(options: OperatorOptions): Promise<number> {
  const clock = createClock();
  const log = createLog({ format: options.logFormat, level: options.logLevel, clock });
  const parts = createOperatorParts({ ...options, env: process.env, clock, log });
  process.once('exit', parts.close);
  endOnFaults(parts);
  const { version, namespace, backend, leaderElect, packageWorkers, helm, cacheDir } = options;
  log.info('kubepkg operator', { version, namespace, backend, leaderElect, packageWorkers, helm, cacheDir });
  try {
    await parts.requireHelm();
    process.exit(await new Operator(options, parts).run());
  } catch (error) {
    parts.close();
    throw error;
  }
}

/** A fault outside of any turn leaves nobody knows what behind: the next process begins from what is recorded. */
function endOnFaults({ log, killChildren }: OperatorParts): void {
  const end = (thrown: unknown): void => {
    log.error('ended by a fault of kubepkg', { error: asKubepkgError(thrown) });
    // The signals are sent before this returns.
    void killChildren();
    process.exit(EXIT_FAILED);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
