import { KubepkgError } from '../../api/errors.ts';
import { parsePackageSource } from '../../api/parse.ts';
import { DEFAULT_BACKEND } from '../../compose/backend-names.ts';
import type { Edition } from '../../compose/rehearsal/edition.ts';
import type { Rehearsals, RehearsalSettings, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import type { DesiredPackage } from '../../domain/resolve/desired.ts';
import { resolveAlone } from '../../domain/resolve/resolve-alone.ts';
import { CALM_SCENARIO, parseScenario, type Scenario, watchRules } from '../../embedded/scenario/index.ts';
import { type ChartFlags, settingsOf } from '../author/settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { readText, readValues } from '../install/manifest-files.ts';
import { parseValuesArgument, requireDuration } from '../install/package-argument.ts';
import { formatData } from '../output-format.ts';
import { junitText, type Rehearsed, rehearsalDocument } from '../rehearse/documents.ts';
import { editionBefore, readEdition } from '../rehearse/editions.ts';
import { parseFailure, usualFailures } from '../rehearse/failures.ts';
import { type MatrixHands, playMatrix, prepareStage } from '../rehearse/matrix.ts';
import { playFrom, playKilled, playRecorded } from '../rehearse/play-from.ts';
import { versionsOf } from '../rehearse/play.ts';
import type { RehearsalResult, Wishes } from '../rehearse/rehearsal-case.ts';
import { endLines, matrixLines, sceneLines, stepLines } from '../rehearse/report.ts';
import { findStep } from '../rehearse/find-step.ts';
import type { JsonObject } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';
import { Troubles } from '../look/troubles.ts';
import { listOf } from '../../lib/list-of.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface RehearseFlags extends GlobalFlags, ChartFlags {
  readonly from?: string | undefined;
  readonly variant?: string | undefined;
  /** `COMPONENT=FILE`. */
  readonly values?: readonly string[] | undefined;
  readonly timeout?: string | undefined;
  readonly scenario?: string | undefined;
  /** `COMPONENT` or `COMPONENT=KIND`. */
  readonly fail?: readonly string[] | undefined;
  /** Number of a step, or words of it. */
  readonly kill?: string | undefined;
  readonly steps?: boolean | undefined;
  readonly matrix?: boolean | undefined;
  readonly seed: number;
  readonly output: 'table' | 'json' | 'yaml' | 'junit';
}

/** Tries an upgrade on a cluster of its own, with what is to go wrong in it, and shows what users would see. */
export async function runRehearse(host: CliHost, word: string, flags: RehearseFlags): Promise<ExitCode> {
  refuseBoth(flags);
  const { version } = host;
  const onLog = (line: string): void => {
    if (flags.verbose === true) host.stderr.write(line);
  };
  const settings = { ...settingsOf(flags), seed: flags.seed, version, onLog };
  const done = await host.withRehearsals(settings, (rehearsals) =>
    Promise.race([interruption(host), rehearse(word, { host, flags, settings, rehearsals })]),
  );
  if (done === 'interrupted') writeLines(host.stderr, ['interrupted: nothing is left behind']);
  return done === 'interrupted' ? EXIT.interrupted : done;
}

function interruption({ interrupted }: CliHost): Promise<'interrupted'> {
  return new Promise((resolve) => {
    const end = (): void => {
      resolve('interrupted');
    };
    if (interrupted.aborted) end();
    interrupted.addEventListener('abort', end, { once: true });
  });
}

async function rehearse(word: string, reading: Reading): Promise<ExitCode> {
  const { host, flags, settings, rehearsals } = reading;
  const { scenario, unused } = watchRules(await readScenario(host, flags));
  const wishes = await readWishes(word, reading);
  const hands = { host, settings, rehearsals, wishes, scenario, onResult: progressOf(host) };
  const { install, snapshot } = await prepareStage(hands);
  const results = await play(hands, snapshot, flags);
  if (!host.interrupted.aborted) warnOfUnused(host, flags, unused());
  const [from, to] = versionsOf(wishes);
  print(host, { package: wishes.name, from, to, install, results }, flags);
  return results.some(({ broken }) => broken.length > 0) ? EXIT.failed : EXIT.ok;
}

function refuseBoth({ matrix, fail, kill, steps }: RehearseFlags): void {
  if (matrix !== true || (fail === undefined && kill === undefined && steps !== true)) return;
  throw new KubepkgError('InvalidInput', '--matrix lets everything fail in turn, and kills after every step', {
    hint: 'leave out --fail, --kill and --steps, or --matrix',
  });
}

/** What is shown on the way: a matrix takes a while. */
function progressOf({ stderr }: CliHost): MatrixHands['onResult'] {
  return (done, all) => {
    if (stderr.isTerminal)
      stderr.write(`\r${String(done)} of ${String(all)} upgrades rehearsed${done === all ? '\n' : ''}`);
    else if (done === all || done % 10 === 0) stderr.write(`${String(done)} of ${String(all)} upgrades rehearsed\n`);
  };
}

async function readScenario(host: CliHost, { scenario }: RehearseFlags): Promise<Scenario> {
  if (scenario === undefined) return CALM_SCENARIO;
  return parseScenario(await readText(host, scenario), scenario);
}

/** Above all in a scenario, a name that is misspelled goes unnoticed: everything then goes well. */
function warnOfUnused(host: CliHost, flags: RehearseFlags, rules: readonly string[]): void {
  if (rules.length === 0) return;
  const troubles = new Troubles();
  const what = rules.length === 1 ? 'has' : 'have';
  troubles.note(
    `scenario ${flags.scenario ?? ''}: ${listOf(rules)} ${what} matched nothing in this rehearsal`,
    'compare their match with the objects of the package: kubepkg render; of several rules that match, the first counts',
  );
  troubles.report(host, paintFor(host, flags, 'stderr'));
}

interface Reading {
  readonly host: CliHost;
  readonly flags: RehearseFlags;
  readonly settings: RehearsalSettings;
  readonly rehearsals: Rehearsals;
}

async function readWishes(word: string, reading: Reading): Promise<Wishes> {
  const { host, flags } = reading;
  const to = await readEdition(word, reading);
  const from = flags.from === undefined ? editionBefore(to) : await readEdition(flags.from, reading);
  const { name } = to.source.metadata;
  if (from.source.metadata.name !== name) {
    throw new KubepkgError(
      'InvalidInput',
      `--from ${flags.from ?? ''} is package ${from.source.metadata.name}, not ${name}`,
      {
        hint: 'name an earlier version of the same package',
      },
    );
  }
  const values = new Map<string, JsonObject>();
  for (const { component, file } of (flags.values ?? []).map(parseValuesArgument)) {
    values.set(component, await readValues(host, file));
  }
  const { variant, timeout } = flags;
  if (timeout !== undefined) requireDuration('--timeout', timeout);
  const desired = desiredOf(to, { variant, values });
  desiredOf(from, { variant, values });
  const texts = new Map([...values].map(([component, value]) => [component, writeYaml(value)]));
  const isScripted = flags.scenario !== undefined;
  const wishes = { name, from, to, desired, variant, timeout, isScripted, values: texts };
  refuseStandstill(wishes);
  return wishes;
}

function refuseStandstill(wishes: Wishes): void {
  const [from, to] = versionsOf(wishes);
  if (from !== to) return;
  throw new KubepkgError('InvalidInput', `the version before is ${from} as well: that is no upgrade`, {
    hint: 'name another version with --from, or leave it out: the same charts then stand for a version just below',
  });
}

interface Choice {
  readonly variant: string | undefined;
  readonly values: ReadonlyMap<string, JsonObject>;
}

/** Fails with what stands against it, before anything is begun. */
function desiredOf({ source }: Edition, { variant, values }: Choice): DesiredPackage {
  const parsed = parsePackageSource(source);
  if (!parsed.ok) throw parsed.error;
  const components = Object.fromEntries([...values].map(([component, value]) => [component, { values: value }]));
  const resolution = resolveAlone(parsed.value, { variant, components, defaultBackend: DEFAULT_BACKEND });
  if (resolution.kind === 'resolved') return resolution.desired;
  throw new KubepkgError('InvalidConfiguration', resolution.message, { hint: 'correct the package: kubepkg validate' });
}

async function play(
  hands: MatrixHands,
  snapshot: StageSnapshot,
  { matrix, fail = [], kill }: RehearseFlags,
): Promise<readonly RehearsalResult[]> {
  const { desired } = hands.wishes;
  if (matrix === true) return playMatrix(hands, snapshot, usualFailures(desired));
  const failures = fail.map((word) => parseFailure(word, desired));
  if (kill === undefined) return [await playFrom(hands, snapshot, { failures })];
  const { result, recording } = await playRecorded(hands, snapshot, { failures });
  return [await playKilled(hands, recording, { failures, killAfter: findStep(kill, result.steps) })];
}

function print(host: CliHost, rehearsed: Rehearsed, { output, matrix, steps }: RehearseFlags): void {
  const { install, results } = rehearsed;
  if (output === 'junit') host.stdout.write(junitText(rehearsed));
  else if (output !== 'table') host.stdout.write(formatData(rehearsalDocument(rehearsed), output));
  else if (matrix === true) {
    const width = host.stdout.isTerminal ? host.stdout.size().columns : Infinity;
    writeLines(host.stdout, matrixLines(results, width));
  } else {
    for (const result of results) {
      const shown = steps === true ? stepLines(result) : sceneLines([install, ...result.scenes]);
      writeLines(host.stdout, [...shown, ...endLines(result)]);
    }
  }
}
