import type { OperatorParts } from '../compose/operator.ts';
import { OPERATOR_NAMESPACE } from '../api/names.ts';
import { Operator } from './operator.ts';

/** The operator with parts of a rehearsal, reached by nobody from outside; resolves to its exit code. */
export function runRehearsedOperator(parts: OperatorParts, stop: AbortSignal): Promise<number> {
  const nowhere = { metricsBindAddress: '0', healthProbeBindAddress: '0', chartsBindAddress: '0' };
  return new Operator({ ...nowhere, namespace: OPERATOR_NAMESPACE, leaderElect: true, stop }, parts).run();
}
