import type { PredictedFinding } from '../../domain/plan/predictions/facts.ts';
import type { Severity } from '../../domain/plan/finding.ts';
import type { Paint, Style } from '../text/paint.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatWrappedTable } from '../text/table.ts';

/** What was found of one recipe. */
export interface ValidatedRecipe {
  readonly file: string;
  readonly package?: string | undefined;
  readonly findings: readonly PredictedFinding[];
}

const STYLES: Readonly<Record<Severity, Style>> = { error: 'red', warning: 'yellow', info: 'dim' };

export function validateReport(
  recipes: readonly ValidatedRecipe[],
  { paint, width }: { readonly paint: Paint; readonly width: number },
): readonly string[] {
  return recipes.flatMap(({ file, findings }) => {
    const head = `${file}: ${summary(findings)}`;
    if (findings.length === 0) return [head];
    const rows = findings.map(({ severity, subject, message, remedy }) => [
      severity.toUpperCase(),
      oneLine(`${subject}: ${message}; ${remedy}`),
    ]);
    const table = formatWrappedTable(['SEVERITY', 'FINDING'], rows, width);
    return [head, ...table.map((line) => painted(line, paint))];
  });
}

function painted(line: string, paint: Paint): string {
  return line.replace(/^(ERROR|WARNING|INFO)/, (word) => paint(STYLES[word.toLowerCase() as Severity], word));
}

function summary(findings: readonly PredictedFinding[]): string {
  const count = (severity: Severity): number => findings.filter((each) => each.severity === severity).length;
  const [errors, warnings] = [count('error'), count('warning')];
  if (errors + warnings === 0) return 'nothing speaks against it';
  const texts = [
    ...(errors === 0 ? [] : [`${String(errors)} ${errors === 1 ? 'error' : 'errors'}`]),
    ...(warnings === 0 ? [] : [`${String(warnings)} ${warnings === 1 ? 'warning' : 'warnings'}`]),
  ];
  return texts.join(', ');
}
