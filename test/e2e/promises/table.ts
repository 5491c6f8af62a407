import { afterAll, describe, vi } from 'vitest';
import type { BackendName } from '../operator/backends/backend.ts';
import { chartCases } from './chart-cases.ts';
import { failureCases } from './failure-cases.ts';
import { hookCases } from './hook-cases.ts';
import { orderCases } from './order-cases.ts';
import { outsideCases } from './outside-cases.ts';
import { ownershipCases } from './ownership-cases.ts';
import { quietCases } from './quiet-cases.ts';
import { readinessCases } from './readiness-cases.ts';
import { removalCases } from './removal-cases.ts';
import { requirementCases } from './requirement-cases.ts';
import { type StageOptions, startStage } from './stage.ts';
import { timeCases } from './time-cases.ts';

/** Most of the time is spent waiting; more at once would have deliveries miss their deadlines. */
const AT_ONCE = 14;
/** The cluster is in the process of the tests, and has one core with them. */
const AT_ONCE_EMBEDDED = 8;
const TIMEOUT_MS = 300_000;

/** What is promised of every backend, on any control plane; each case has packages and namespaces of its own. */
export async function promiseTable(backend: BackendName, options: StageOptions = {}): Promise<void> {
  const stage = await startStage(backend, options);
  afterAll(() => stage.stop());
  vi.setConfig({ maxConcurrency: options.embedded === true ? AT_ONCE_EMBEDDED : AT_ONCE });
  describe.concurrent(`the promises with ${backend}${placeOf(options)}`, { timeout: TIMEOUT_MS }, () => {
    timeCases(stage);
    failureCases(stage);
    chartCases(stage);
    orderCases(stage);
    requirementCases(stage);
    readinessCases(stage);
    hookCases(stage);
    removalCases(stage);
    ownershipCases(stage);
    outsideCases(stage);
  });
  describe(`the operator with ${backend}`, { timeout: TIMEOUT_MS }, () => {
    quietCases(stage);
  });
}

function placeOf({ local = false, embedded = false }: StageOptions): string {
  return local ? ' in a command' : embedded ? ' on the embedded cluster' : '';
}
