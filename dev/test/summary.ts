/** What one run of vitest came to. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  /** What failed beside the tests themselves, a sentence each; every one counts as a failure. */
  readonly troubles: readonly string[];
}

/** The part of vitest's JSON report that is read here. */
export interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly status: string }[];
}

export interface Run {
  readonly project: string;
  readonly exitCode: number;
  /** Absent when vitest ended before it could write one. */
  readonly report: Report | undefined;
}

export function countRun({ project, exitCode, report }: Run): Counts {
  if (report === undefined) {
    return {
      passed: 0,
      failed: 1,
      skipped: 0,
      troubles: [`${project}: vitest ended with ${String(exitCode)} and no report`],
    };
  }
  const troubles = report.testResults.filter(brokeOutsideTests).map((file) => `${project}: ${file.name} did not load`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (report.numPassedTests + report.numFailedTests === 0) troubles.push(`${project}: no test ran`);
  const explained = report.numFailedTests + troubles.length > 0;
  if (exitCode !== 0 && !explained) troubles.push(`${project}: vitest ended with ${String(exitCode)} outside any test`);
  return { passed: report.numPassedTests, failed: report.numFailedTests + troubles.length, skipped, troubles };
}

/** A file that fails without a failed test broke at import, or in a hook of the file. */
function brokeOutsideTests(file: FileReport): boolean {
  return file.status === 'failed' && !file.assertionResults.some(({ status }) => status === 'failed');
}

export function sumCounts(all: readonly Counts[]): Counts {
  return {
    passed: all.reduce((sum, { passed }) => sum + passed, 0),
    failed: all.reduce((sum, { failed }) => sum + failed, 0),
    skipped: all.reduce((sum, { skipped }) => sum + skipped, 0),
    troubles: all.flatMap(({ troubles }) => troubles),
  };
}

export function summaryLine({ passed, failed }: Counts): string {
  return `${String(passed)} passed, ${String(failed)} failed`;
}
