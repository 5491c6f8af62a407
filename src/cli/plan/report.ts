import type { CrdPlan, ObjectPlan, PackagePlan } from '../../domain/plan/plan.ts';
import type { PredictedFinding } from '../../domain/plan/predictions/facts.ts';
import { notTakenText } from '../install/why.ts';
import { oneLine, sanitize } from '../text/sanitize.ts';
import type { Paint, Style } from '../text/paint.ts';
import { wrap } from '../text/wrap.ts';
import { awaitText, stepText } from './step-text.ts';

export interface ReportStyle {
  readonly paint: Paint;
  readonly width: number;
  /** The differences of objects are shown field by field. */
  readonly wide: boolean;
}

const SEVERITY_STYLES = { error: 'red', warning: 'yellow', info: 'cyan' } as const satisfies Record<string, Style>;

/** What would be done for each package, for a person. */
export function planReport(plans: readonly PackagePlan[], style: ReportStyle): readonly string[] {
  return plans.flatMap((plan, index) => [...(index === 0 ? [] : ['']), ...packageReport(plan, style)]);
}

function packageReport(plan: PackagePlan, style: ReportStyle): readonly string[] {
  return [
    ...paragraph(style.paint('bold', headline(plan)), style, 0),
    ...paragraph(plan.version.why, style, 2),
    ...(plan.version.newer === undefined ? [] : paragraph(notTakenText(plan.version.newer), style, 2)),
    ...requirementLines(plan, style),
    ...section('Steps', stepLines(plan, style), style),
    ...section('Components', componentLines(plan, style), style),
    ...endLines(plan, style),
    ...rollbackLines(plan, style),
    ...section('Around it', surroundingLines(plan, style), style),
    ...section('Objects', objectLines(plan.objects, style), style),
    ...section('Findings', findingLines(plan.findings, style), style),
  ];
}

function headline({ name, change, version: { from, to }, variant, backend }: PackagePlan): string {
  const versions = from === undefined || from === to ? (to ?? from ?? '') : `${from} → ${to ?? from}`;
  return oneLine(`${name}: ${change} ${versions} (variant ${variant}, by ${backend})`);
}

function section(title: string, lines: readonly string[], { paint }: ReportStyle): readonly string[] {
  return lines.length === 0 ? [] : [`  ${paint('bold', title)}`, ...lines];
}

/** Wrapped to the width, each line indented; the first one differently where two are given. */
function paragraph(
  text: string,
  { width }: ReportStyle,
  indents: number | readonly [number, number],
): readonly string[] {
  const [indent, hanging] = typeof indents === 'number' ? [indents, indents] : indents;
  const lines = wrap(oneLine(text), Math.max(10, width - hanging));
  return lines.map((line, index) => `${' '.repeat(index === 0 ? indent : hanging)}${line}`.trimEnd());
}

function requirementLines({ requires }: PackagePlan, style: ReportStyle): readonly string[] {
  if (requires.length === 0) return [];
  const texts = requires.map(({ name, version, optional, planned }) => {
    const remarks = [optional ? 'optional' : '', planned ? 'in this plan' : ''].filter((remark) => remark !== '');
    const asked = version === undefined ? name : `${name} ${version}`;
    return remarks.length === 0 ? asked : `${asked} (${remarks.join(', ')})`;
  });
  return paragraph(`requires ${texts.join(', ')}`, style, 2);
}

function stepLines({ steps }: PackagePlan, style: ReportStyle): readonly string[] {
  const digits = String(steps.length).length;
  return steps.flatMap((step, index) => {
    const awaits = awaitText(step);
    const number = String(index + 1).padStart(digits);
    const hanging = 4 + digits + 2;
    const [first = '', ...rest] = paragraph(stepText(step), style, hanging);
    const head = `    ${number}. ${first.trimStart()}`;
    return [head, ...rest, ...(awaits === undefined ? [] : paragraph(awaits, style, hanging))];
  });
}

function componentLines({ components }: PackagePlan, style: ReportStyle): readonly string[] {
  return components.flatMap(({ name, change, from, to, why }) => {
    const charts = from === to || from === undefined ? (to ?? from ?? '') : `${from} → ${to ?? 'nothing'}`;
    const reason = why.length === 0 ? '' : ` (${why.join(', ')})`;
    return paragraph(`${name}: ${change} ${charts}${reason}`, style, [4, 6]);
  });
}

/** Where the steps end; that all is well need not be said twice. */
function endLines({ end, steps }: PackagePlan, style: ReportStyle): readonly string[] {
  if (end.kind === 'converged') return steps.length > 0 ? [] : paragraph(`nothing to do: ${end.message}`, style, 2);
  if (end.kind === 'removed') return paragraph('then it is gone', style, 2);
  const when = steps.length === 0 ? 'nothing is done' : 'then it stops';
  return paragraph(`${when}: ${end.reason}: ${end.message}`, style, 2);
}

function rollbackLines({ rollback }: PackagePlan, style: ReportStyle): readonly string[] {
  if (rollback === undefined) return [];
  if (!rollback.possible) return paragraph(`no rollback should a component fail: ${rollback.why}`, style, 2);
  const to = `revision ${String(rollback.revision)} (${rollback.version})`;
  return paragraph(`should a component fail, the package is rolled back to ${to}`, style, 2);
}

const CRD_ACTIONS: Readonly<Record<CrdPlan['action'], string>> = {
  create: 'is created',
  replace: 'is replaced by that of the chart',
  leave: 'is left as it is (upgradeCRDs)',
  'not-created': 'is not created on an upgrade (upgradeCRDs: Skip)',
  claim: 'becomes the package’s',
  release: 'is let go, and stays',
  unknown: 'is of the chart; whether the cluster has it could not be read',
};

function surroundingLines({ crds, namespaces, permissions }: PackagePlan, style: ReportStyle): readonly string[] {
  const crdTexts = crds.map(({ name, action }) => `CustomResourceDefinition ${name} ${CRD_ACTIONS[action]}`);
  const namespaceTexts = namespaces.flatMap(({ name, exists, setsPrivileged }) => {
    const level = setsPrivileged ? ', and gets the privileged level of pod security' : '';
    if (!exists) return [`namespace ${name} is created${level}; it is never deleted`];
    return level === '' ? [] : [`namespace ${name} is there, is not kubepkg's${level}`];
  });
  const resources = permissions.map(({ resource }) => resource).join(', ');
  const rights =
    resources === '' ? [] : [`whoever delivers has to be allowed to get, create, patch and delete ${resources}`];
  return [...crdTexts, ...namespaceTexts, ...rights].flatMap((text) => paragraph(text, style, [4, 6]));
}

const MARKS = { created: '+', changed: '~', deleted: '-' } as const;

function objectLines(objects: readonly ObjectPlan[], style: ReportStyle): readonly string[] {
  return objects.flatMap(({ component, object, change, text }) => {
    const head = paragraph(`${MARKS[change]} ${object} (${component}) is ${change}`, style, [4, 8]);
    if (change !== 'changed' && !style.wide) return head;
    return [...head, ...text.split('\n').flatMap((line) => (line === '' ? [] : [diffLine(line, style)]))];
  });
}

function diffLine(line: string, { paint }: ReportStyle): string {
  const clean = sanitize(line);
  if (clean.startsWith('+')) return `      ${paint('green', clean)}`;
  return `      ${clean.startsWith('-') ? paint('red', clean) : clean}`;
}

function findingLines(findings: readonly PredictedFinding[], style: ReportStyle): readonly string[] {
  return findings.flatMap(({ severity, subject, message, remedy }) => {
    const [first = '', ...rest] = paragraph(`${severity}: ${subject}: ${message}`, style, [4, 6]);
    const painted = first.replace(severity, style.paint(SEVERITY_STYLES[severity], severity));
    return [painted, ...rest, ...paragraph(remedy, style, 6)];
  });
}
