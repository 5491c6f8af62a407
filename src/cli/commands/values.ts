import { KubepkgError } from '../../api/errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { columnsOf } from '../look/columns.ts';
import { HIDDEN } from '../../domain/plan/diff/mask.ts';
import { chooseMembers, requireRevision, type ScopedCluster, withScope } from '../look/package-scope.ts';
import { type ComponentValues, recordedValues } from '../look/recorded-values.ts';
import { Troubles } from '../look/troubles.ts';
import { type DataFormat, formatData } from '../output-format.ts';
import { valuesReport } from '../report/values-report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface ValuesFlags extends GlobalFlags {
  readonly output: 'table' | DataFormat;
  readonly showSecrets?: boolean | undefined;
  readonly revision?: number | undefined;
  /** What the Package asks for, whether or not it is in force. */
  readonly wanted?: boolean | undefined;
}

export interface ValuesArguments {
  readonly name: string;
  readonly component?: string | undefined;
}

export function runValues(host: CliHost, { name, component }: ValuesArguments, flags: ValuesFlags): Promise<ExitCode> {
  return withScope(host, { name, flags }, (scoped) => showValues(host, { scoped, component }, flags));
}

export async function showValues(
  host: CliHost,
  { scoped, component }: { readonly scoped: ScopedCluster; readonly component: string | undefined },
  { output, showSecrets = false, revision: number, wanted = false, ...flags }: ValuesFlags,
): Promise<ExitCode> {
  const { cluster, scope } = scoped;
  const members = chooseMembers(requireRevision(scope, number), component);
  const troubles = new Troubles();
  const recorded = await recordedValues({ cluster, troubles }, { package: scope.package, members, showSecrets });
  const values = wanted ? recorded.map(asWanted) : number === undefined ? recorded : recorded.map(asRecorded);
  if (output === 'table') writeLines(host.stdout, valuesReport(values, columnsOf(host.stdout)));
  else if (values.length > 0) host.stdout.write(formatData(valuesData(values, component), output));
  troubles.report(host, paintFor(host, flags, 'stderr'));
  noteHidden(host, values);
  if (!wanted) notePending(host, scope.package.metadata.name, values);
  if (values.length === 0 && members.length > 0) {
    throw new KubepkgError('ApiForbidden', 'no values could be read', {
      hint: 'they are in Secrets: ask for the right to get these',
    });
  }
  return EXIT.ok;
}

/** Of an earlier revision it says nothing that another one was asked for later. */
function asRecorded(values: ComponentValues): ComponentValues {
  return { ...values, pending: [] };
}

/** What is in force already stands among what is wanted. */
function asWanted(values: ComponentValues): ComponentValues {
  return { ...values, values: values.wanted, leaves: values.leaves.filter(({ from }) => from === 'Package') };
}

/** Of one component by itself a file of values, of all a map by component. */
function valuesData(components: readonly ComponentValues[], component: string | undefined): unknown {
  const [first] = components;
  if (component !== undefined && first !== undefined) return first.values;
  return Object.fromEntries(components.map(({ component: name, values }) => [name, values]));
}

function noteHidden(host: CliHost, components: readonly ComponentValues[]): void {
  if (!JSON.stringify(components.map(({ values, pending }) => [values, pending])).includes(JSON.stringify(HIDDEN)))
    return;
  writeLines(host.stderr, ['some values are hidden, as they may be secret; --show-secrets shows them']);
}

/** In forms that are files of values there is no other place for it. */
function notePending(host: CliHost, name: string, components: readonly ComponentValues[]): void {
  const waiting = components.filter(({ pending }) => pending.length > 0).map(({ component }) => component);
  if (waiting.length === 0) return;
  writeLines(host.stderr, [
    `not in force: the Package wants other values of ${waiting.join(', ')}, which no applied revision has`,
    `all that is wanted: kubepkg values ${name} --wanted; to drop them: kubepkg install ${name} --values COMPONENT=FILE`,
  ]);
}
