import { createClock } from '../compose/clock.ts';
import { createLog } from '../compose/log.ts';
import { createOperatorParts } from '../compose/operator.ts';
import type { OperatorOptions } from './operator-options.ts';
import { Operator } from './operator.ts';

/**
 * The operator inside of another command, which outlives it: it ends when it is told to, or loses its Lease, and what it
 * had running has ended then. Resolves to its exit code.
 */
export async function runLocalOperator(options: OperatorOptions): Promise<number> {
  const clock = createClock();
  const log = createLog({ format: options.logFormat, level: options.logLevel, clock });
  const parts = createOperatorParts({ ...options, env: process.env, clock, log });
  try {
    await parts.requireHelm();
    return await new Operator(options, parts).run();
  } finally {
    parts.close();
  }
}
