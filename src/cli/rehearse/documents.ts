import { formatSeconds } from '../../lib/time.ts';
import { caseName } from './report.ts';
import type { RehearsalResult, Scene } from './rehearsal-case.ts';

export interface Rehearsed {
  readonly package: string;
  readonly from: string;
  readonly to: string;
  readonly install: Scene;
  readonly results: readonly RehearsalResult[];
}

/** For programs; documented in docs/guides/rehearse.md. */
export function rehearsalDocument({ package: name, from, to, install, results }: Rehearsed): unknown {
  return {
    package: name,
    from,
    to,
    install,
    upgrades: results.map((result) => ({
      what: caseName(result),
      failures: result.case.failures.map(({ component, kind }) => ({ component, kind })),
      ...(result.killedAt === undefined ? {} : { killedAfter: result.killedAt.number }),
      ending: result.ending,
      reason: result.reason,
      message: result.message,
      exitCode: result.exitCode,
      seconds: Math.round(result.durationMs / 1000),
      hookRuns: result.hookRuns,
      changed: result.changed,
      asPromised: result.broken.length === 0,
      broken: result.broken,
      steps: result.steps.map(({ number, what, time }) => ({ number, what, time: formatSeconds(time) })),
      scenes: result.scenes,
    })),
  };
}

/** As CI systems read them. Source: the JUnit XML that Jenkins and GitLab document. */
export function junitText({ package: name, from, to, results }: Rehearsed): string {
  const suite = `${name} from ${from} to ${to}`;
  const failed = results.filter(({ broken }) => broken.length > 0).length;
  const counts = `tests="${String(results.length)}" failures="${String(failed)}"`;
  const lines = [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name="${xml(suite)}" ${counts}>`,
    ...results.flatMap((result) => caseLines(suite, result)),
    '  </testsuite>',
    '</testsuites>',
  ];
  return `${lines.join('\n')}\n`;
}

function caseLines(suite: string, result: RehearsalResult): readonly string[] {
  const { ending, reason, message, durationMs, broken } = result;
  const head = `    <testcase classname="${xml(suite)}" name="${xml(caseName(result))}" time="${String(durationMs / 1000)}">`;
  const said = `      <system-out>${xml(`${ending}: ${reason}: ${message}`)}</system-out>`;
  const failures = broken.map((each) => `      <failure message="${xml(each)}"/>`);
  return [head, ...failures, said, '    </testcase>'];
}

/** Characters that XML 1.0 cannot have go. */
function xml(text: string): string {
  const printable = text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  const names: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return printable.replace(/[&<>"]/g, (sign) => names[sign] ?? sign);
}
