import { KubepkgError } from '../../api/errors.ts';
import { createReleaseReader } from '../../compose/release-reader.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { columnsOf } from '../look/columns.ts';
import { type ComponentManifest, manifestObjects, manifestText, readManifests } from '../look/manifests.ts';
import { maskSecret } from '../look/mask.ts';
import { chooseMembers, requireRevision, type ScopedCluster, withScope } from '../look/package-scope.ts';
import { Troubles } from '../look/troubles.ts';
import { formatData, type OutputFormat, printObjects } from '../output-format.ts';
import { chartFacts, chartTable, manifestTable } from '../report/manifest-report.ts';
import { sanitize } from '../text/sanitize.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';
import { showValues } from './values.ts';

export type GetWhat = 'manifest' | 'values' | 'chart' | 'notes';

export interface GetArguments {
  readonly what: GetWhat;
  readonly name: string;
  readonly component?: string | undefined;
}

export interface GetFlags extends GlobalFlags {
  /** Absent: the form that suits the thing. */
  readonly output?: OutputFormat | undefined;
  readonly revision?: number | undefined;
  readonly showSecrets?: boolean | undefined;
}

export function runGet(host: CliHost, args: GetArguments, flags: GetFlags): Promise<ExitCode> {
  refuseForms(args.what, flags.output);
  return withScope(host, { name: args.name, flags }, async (scoped) => {
    switch (args.what) {
      case 'manifest':
      case 'notes':
        return showDelivered(host, { ...args, scoped }, flags);
      case 'values': {
        const output = flags.output === 'table' || flags.output === 'json' ? flags.output : 'yaml';
        return showValues(host, { scoped, component: args.component }, { ...flags, output });
      }
      case 'chart':
        return showCharts(host, { ...args, scoped }, flags);
      default:
        return assertNever(args.what, 'thing to get');
    }
  });
}

const FORMS: Readonly<Record<GetWhat, readonly OutputFormat[]>> = {
  manifest: ['table', 'wide', 'json', 'yaml', 'name'],
  values: ['table', 'json', 'yaml'],
  chart: ['table', 'wide', 'json', 'yaml'],
  notes: ['json', 'yaml'],
};

function refuseForms(what: GetWhat, output: OutputFormat | undefined): void {
  if (output === undefined || FORMS[what].includes(output)) return;
  throw new KubepkgError('InvalidInput', `${what} has no output ${output}`, {
    hint: `write -o ${FORMS[what].join('|')}`,
  });
}

interface Asked extends GetArguments {
  readonly scoped: ScopedCluster;
}

async function showDelivered(
  host: CliHost,
  { what, name, component, scoped }: Asked,
  flags: GetFlags,
): Promise<ExitCode> {
  const { cluster, scope } = scoped;
  const revision = requireRevision(scope, flags.revision);
  const members = chooseMembers(revision, component);
  const troubles = new Troubles();
  const sight = { cluster, troubles, releases: createReleaseReader(cluster, host.clock) };
  const manifests = await readManifests(sight, { revision, isNewest: revision === scope.revisions.at(-1), members });
  troubles.report(host, paintFor(host, flags, 'stderr'));
  if (manifests.length === 0 && members.length > 0) {
    throw new KubepkgError('NotFound', `no ${what} of revision ${String(revision.spec.revision)} can be had`, {
      hint: `see which revisions there are: kubepkg history ${name}`,
    });
  }
  if (what === 'notes') printNotes(host, manifests, flags);
  else printManifests(host, manifests, flags);
  return EXIT.ok;
}

function printManifests(
  host: CliHost,
  manifests: readonly ComponentManifest[],
  { output, showSecrets = false }: GetFlags,
): void {
  if (output === undefined || output === 'yaml') {
    host.stdout.write(manifestText(manifests, showSecrets));
    return;
  }
  const objects = manifests.flatMap(manifestObjects);
  const shown = showSecrets ? objects : objects.map(maskSecret);
  printObjects(host.stdout, shown, { output, table: () => manifestTable(manifests) });
}

function printNotes(host: CliHost, manifests: readonly ComponentManifest[], { output }: GetFlags): void {
  const told = manifests.filter(({ notes }) => notes.trim() !== '');
  if (output === 'json' || output === 'yaml') {
    host.stdout.write(formatData(Object.fromEntries(told.map(({ component, notes }) => [component, notes])), output));
  } else if (told.length === 0) writeLines(host.stderr, ['its charts have no notes']);
  else if (told.length === 1)
    writeLines(
      host.stdout,
      told.map(({ notes }) => sanitize(notes).trimEnd()),
    );
  else
    writeLines(
      host.stdout,
      told.flatMap(({ component, notes }) => [`# component ${component}`, sanitize(notes).trimEnd()]),
    );
}

function showCharts(host: CliHost, { component, scoped }: Asked, { output, revision }: GetFlags): ExitCode {
  const charts = chooseMembers(requireRevision(scoped.scope, revision), component).map(chartFacts);
  if (output === 'json' || output === 'yaml') host.stdout.write(formatData(charts, output));
  else writeLines(host.stdout, chartTable(charts, columnsOf(host.stdout)));
  return EXIT.ok;
}
