import { componentDetail, componentTitle } from './component-lines.ts';
import { type ComponentReport, type PackageReport, type RevisionReport, whyText } from './package-report.ts';

/** One line for each thing that changed, in plain words: for logs and pipes. */
export function transitions(before: PackageReport | undefined, after: PackageReport): readonly string[] {
  const { begun, ended } = revisionLines(before?.revision, after.revision);
  const components = componentLines(before?.revision, after.revision);
  const lines = [...begun, ...components, ...ended, ...packageLines(before, after)];
  return lines.map((line) => `${after.name}: ${line}`);
}

/** What stands before and after the lines of its components. */
function revisionLines(before: RevisionReport | undefined, after: RevisionReport | undefined): RevisionLines {
  if (after === undefined) return { begun: [], ended: [] };
  const isNew = before?.number !== after.number;
  if (isOpen(after)) return { begun: isNew ? [`${titleOf(after)} begun`] : [], ended: [] };
  return { begun: [], ended: isNew || before.phase !== after.phase ? [`${titleOf(after)} ${after.phase}`] : [] };
}

interface RevisionLines {
  readonly begun: readonly string[];
  readonly ended: readonly string[];
}

function isOpen({ phase }: RevisionReport): boolean {
  return phase === 'Pending' || phase === 'Applying';
}

function titleOf({ number, version, restoredFrom }: RevisionReport): string {
  const restores = restoredFrom === undefined ? '' : `, restores revision ${String(restoredFrom)}`;
  return `revision ${String(number)} (${version || 'unversioned'}${restores})`;
}

function componentLines(before: RevisionReport | undefined, after: RevisionReport | undefined): readonly string[] {
  if (after === undefined) return [];
  const known = before?.number === after.number ? before.components : [];
  return after.components.flatMap((component, index) => {
    if (
      !hasChanged(
        known.find((one) => one.name === component.name && one.hook === component.hook),
        component,
      )
    )
      return [];
    const attempt = component.attempt > 1 ? ` (attempt ${String(component.attempt)})` : '';
    return [withDetail(`${componentTitle(component)} ${component.state}${attempt}`, componentDetail(after, index))];
  });
}

/** A component whose turn has not come says nothing. */
function hasChanged(before: ComponentReport | undefined, after: ComponentReport): boolean {
  if (before === undefined) return after.state !== 'Pending';
  return before.state !== after.state || before.attempt !== after.attempt || before.message !== after.message;
}

/** While a revision is in progress its components say what is awaited; the package's own message repeats them. */
function packageLines(before: PackageReport | undefined, after: PackageReport): readonly string[] {
  if (after.reason === '') return [];
  const sameReason = before?.reason === after.reason && before.state === after.state;
  const isSaidElsewhere = after.state === 'Progressing' && after.reason !== 'Deleting';
  if (sameReason && (isSaidElsewhere || before.message === after.message)) return [];
  return [withDetail(after.state, whyText(after))];
}

function withDetail(what: string, detail: string): string {
  return detail === '' ? what : `${what}: ${detail}`;
}
