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
  { output, showSecrets = false, revision: number, ...flags }: ValuesFlags,
): Promise<ExitCode> {
  const { cluster, scope } = scoped;
  const members = chooseMembers(requireRevision(scope, number), component);
  const troubles = new Troubles();
  const values = await recordedValues({ cluster, troubles }, { package: scope.package, members, showSecrets });
  if (output === 'table') writeLines(host.stdout, valuesReport(values, columnsOf(host.stdout)));
  else if (values.length > 0) host.stdout.write(formatData(valuesData(values, component), output));
  troubles.report(host, paintFor(host, flags, 'stderr'));
  noteHidden(host, values);
  if (values.length === 0 && members.length > 0) {
    throw new KubepkgError('ApiForbidden', 'no values could be read', {
      hint: 'they are in Secrets: ask for the right to get these',
    });
  }
  return EXIT.ok;
}

/** Of one component by itself a file of values, of all a map by component. */
function valuesData(components: readonly ComponentValues[], component: string | undefined): unknown {
  const [first] = components;
  if (component !== undefined && first !== undefined) return first.values;
  return Object.fromEntries(components.map(({ component: name, values }) => [name, values]));
}

function noteHidden(host: CliHost, components: readonly ComponentValues[]): void {
  if (!JSON.stringify(components.map(({ values }) => values)).includes(JSON.stringify(HIDDEN))) return;
  writeLines(host.stderr, ['some values are hidden, as they may be secret; --show-secrets shows them']);
}
