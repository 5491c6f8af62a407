import { KubepkgError } from '../../api/errors.ts';
import { secretValuesOf } from '../../domain/plan/diff/clean.ts';
import { assertNever } from '../../lib/assert-never.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { columnsOf } from '../look/columns.ts';
import {
  type ComponentManifest,
  isHookDone,
  manifestObjects,
  type ManifestQuery,
  manifestText,
  readManifests,
} from '../look/manifests.ts';
import { maskObject, maskText } from '../look/mask.ts';
import { allMembers, chooseMembers, requireRevision, type ScopedCluster, withScope } from '../look/package-scope.ts';
import { openSight, type Sight } from '../look/sight.ts';
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
  const sight = openSight(host, cluster);
  const query = { revision, isNewest: revision === scope.revisions.at(-1), members };
  const manifests = await readManifests(sight, query);
  const secretValues = flags.showSecrets === true ? undefined : await secretsOf(sight, query, manifests);
  sight.troubles.report(host, paintFor(host, flags, 'stderr'));
  if (manifests.length === 0 && members.length > 0) {
    const isOver = members.every((member) => isHookDone({ revision, member }));
    throw new KubepkgError('NotFound', `no ${what} of revision ${String(revision.spec.revision)} can be had`, {
      hint: isOver
        ? 'the release of a hook is removed after it has succeeded; its values are kept: kubepkg get values'
        : `see which revisions there are: kubepkg history ${name}`,
    });
  }
  const delivered = { manifests, secretValues };
  if (what === 'notes') printNotes(host, delivered, flags);
  else printManifests(host, delivered, flags);
  return EXIT.ok;
}

interface Delivered {
  readonly manifests: readonly ComponentManifest[];
  /** To be hidden wherever they stand; undefined: nothing is hidden. */
  readonly secretValues: readonly string[] | undefined;
}

/** What all components of the revision keep in their Secrets, also those that are not asked for. */
async function secretsOf(
  sight: Sight,
  query: ManifestQuery,
  manifests: readonly ComponentManifest[],
): Promise<readonly string[]> {
  const asked = query.members.map(({ component }) => component.name);
  const members = allMembers(query.revision).filter(({ component }) => !asked.includes(component.name));
  // What cannot be read of them is missed by nobody.
  const others = await readManifests({ ...sight, troubles: new Troubles() }, { ...query, members });
  return secretValuesOf([...manifests, ...others].flatMap(manifestObjects));
}

function printManifests(host: CliHost, { manifests, secretValues }: Delivered, { output }: GetFlags): void {
  if (output === undefined || output === 'yaml') {
    host.stdout.write(manifestText(manifests, secretValues));
    return;
  }
  const objects = manifests.flatMap(manifestObjects);
  const shown = secretValues === undefined ? objects : objects.map((object) => maskObject(object, secretValues));
  printObjects(host.stdout, shown, { output, table: () => manifestTable(manifests) });
}

function printNotes(host: CliHost, { manifests, secretValues }: Delivered, { output }: GetFlags): void {
  const told = manifests
    .filter(({ notes }) => notes.trim() !== '')
    .map(({ component, notes }) => ({
      component,
      notes: secretValues === undefined ? notes : maskText(notes, secretValues),
    }));
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
