import { describe, expect, it } from 'vitest';
import { countRun, type Report, sumCounts, summaryLine } from './summary.ts';

function report(changes: Partial<Report>): Report {
  return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, testResults: [], ...changes };
}

function file(status: string, ...tests: readonly string[]): Report['testResults'][number] {
  return { name: 'a.test.ts', status, message: '', assertionResults: tests.map((each) => ({ status: each })) };
}

describe('countRun', () => {
  it.each([
    ['a clean run', 0, report({ numPassedTests: 3 }), { passed: 3, failed: 0, troubles: 0 }],
    [
      'a failed test counts once',
      1,
      report({ numPassedTests: 2, numFailedTests: 1, testResults: [file('failed', 'passed', 'failed')] }),
      { passed: 2, failed: 1, troubles: 0 },
    ],
    [
      'a file that does not load is a failure',
      1,
      report({ numPassedTests: 2, testResults: [file('failed')] }),
      { passed: 2, failed: 1, troubles: 1 },
    ],
    [
      'a hook that fails after passed tests is a failure',
      1,
      report({ numPassedTests: 2, testResults: [file('failed', 'passed')] }),
      { passed: 2, failed: 1, troubles: 1 },
    ],
    [
      'an unhandled error is a failure although every test passed',
      1,
      report({ numPassedTests: 2, testResults: [file('passed', 'passed')] }),
      { passed: 2, failed: 1, troubles: 1 },
    ],
    ['a run without tests is a failure', 0, report({}), { passed: 0, failed: 1, troubles: 1 }],
    ['skipped tests alone are a failure', 0, report({ numPendingTests: 4 }), { passed: 0, failed: 1, troubles: 1 }],
    ['a crash without a report is a failure', 134, undefined, { passed: 0, failed: 1, troubles: 1 }],
  ])('%s', (_name, exitCode, given, wanted) => {
    const { passed, failed, troubles } = countRun({ project: 'unit', exitCode, report: given });
    expect({ passed, failed, troubles: troubles.length }).toEqual(wanted);
  });
});

it('the last line sums every project', () => {
  const unit = countRun({ project: 'unit', exitCode: 0, report: report({ numPassedTests: 3, numPendingTests: 1 }) });
  const cluster = countRun({ project: 'cluster', exitCode: 134, report: undefined });
  const total = sumCounts([unit, cluster]);
  expect(total).toMatchObject({ skipped: 1, troubles: [expect.stringContaining('cluster')] });
  expect(summaryLine(total)).toBe('3 passed, 1 failed');
});
