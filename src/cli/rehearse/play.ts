import type { Stage } from '../../compose/rehearsal/stage.ts';
import type { KubeObject } from '../../api/kube.ts';
import { API_VERSION } from '../../api/names.ts';
import { requiredName } from '../../domain/resolve/requirements.ts';
import { asString, at } from '../../lib/json.ts';
import { writeYaml } from '../../lib/yaml.ts';
import type { CliHost } from '../host.ts';
import { asPackage, PACKAGES } from '../objects.ts';
import { conditionOf } from '../report/package-state.ts';
import { EXIT } from '../exit-codes.ts';
import { brokenPromises } from './promises.ts';
import type { Editions, Ending, RehearsalCase, RehearsalResult, Scene, Wishes } from './rehearsal-case.ts';
import { runStaged, type StagedPlace } from './staged-host.ts';

/** Of virtual time: what is not ready by then never will be. */
const PATIENCE = ['--wait-timeout', '12h'];
/** For what comes behind the end: hooks and former releases are removed, say. */
const AFTERWARDS_MS = 60_000;
const [BEFORE, AFTER, VALUES] = ['from.yaml', 'to.yaml', 'values'] as const;

function filesOf({ from, to, values, ...wishes }: Wishes): ReadonlyMap<string, string> {
  const pkg = packageOf(wishes);
  return new Map([
    [BEFORE, documents(from.source, pkg)],
    [AFTER, documents(to.source, pkg)],
    ...[...values].map(([component, text]) => [`${VALUES}-${component}`, text] as const),
  ]);
}

function documents(...objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${writeYaml(object)}`).join('');
}

/** Other packages are not there: what is required of them counts as met. */
function packageOf({ name, desired }: Pick<Wishes, 'name' | 'desired'>): KubeObject {
  const ignoreDependencies = desired.requires.map(requiredName);
  const spec = ignoreDependencies.length === 0 ? {} : { ignoreDependencies };
  return { apiVersion: API_VERSION, kind: 'Package', metadata: { name }, spec };
}

function settingsOf({ variant, timeout, values }: Wishes): readonly string[] {
  return [
    ...(variant === undefined ? [] : ['--variant', variant]),
    ...(timeout === undefined ? [] : ['--timeout', timeout]),
    ...[...values.keys()].flatMap((component) => ['--values', `${component}=${VALUES}-${component}`]),
  ];
}

/** The version before, installed by the operator on an empty cluster. */
export async function playInstall(host: CliHost, stage: Stage, wishes: Wishes): Promise<Scene> {
  stage.startOperator();
  const place = { stage, files: filesOf(wishes) };
  return scene(host, ['install', wishes.name, '-f', BEFORE, ...settingsOf(wishes), '--yes', ...PATIENCE], place);
}

/** The upgrade, and whatever goes wrong in it; ends when nothing of the package moves any more. */
export async function playUpgrade(
  host: CliHost,
  stage: Stage,
  { wishes, what }: { readonly wishes: Wishes; readonly what: RehearsalCase },
): Promise<RehearsalResult> {
  const { name } = wishes;
  const place = { stage, files: filesOf(wishes) };
  // What a hook leaves behind is removed before its next run, and no part of what runs.
  const hooks = wishes.desired.hooks.map(({ releaseName }) => releaseName);
  const before = stage.objectsOfReleases(hooks);
  const begun = stage.clock.now();
  stage.watchHooks(hooks);
  stage.fail(what.failures);
  stage.steps.goOnFrom([]);
  const upgrade = await scene(host, ['upgrade', name, '-f', AFTER, ...settingsOf(wishes), '--yes', ...PATIENCE], place);
  const durationMs = stage.clock.now() - begun;
  await stage.pass(AFTERWARDS_MS);
  const steps = stage.steps.taken;
  const looks = [
    await scene(host, ['status', name], place),
    await scene(host, ['history', name], place),
    await scene(host, ['events', name], place),
  ];
  const ready = await readyOf(stage, name);
  const result = {
    case: what,
    ending: endingOf(ready.reason, upgrade.exitCode),
    ...ready,
    exitCode: upgrade.exitCode,
    durationMs,
    changed: differences(before, stage.objectsOfReleases(hooks)),
    struck: stage.struck(),
    hookRuns: stage.hookRuns(),
    steps,
    killedAt: stage.killedAt,
    scenes: [upgrade, ...looks],
  };
  return { ...result, broken: brokenPromises(result, wishes) };
}

async function scene(host: CliHost, argv: readonly string[], place: StagedPlace): Promise<Scene> {
  const { exitCode, text } = await runStaged(host, argv, place);
  const shown = argv.filter((word) => word !== '--yes' && !PATIENCE.includes(word));
  return { command: ['kubepkg', ...shown].join(' '), exitCode, text };
}

interface ReadySays {
  readonly reason: string;
  readonly message: string;
}

async function readyOf({ cluster }: Stage, name: string): Promise<ReadySays> {
  const object = await cluster.read({ ...PACKAGES, name });
  const ready = object === undefined ? undefined : conditionOf(asPackage(object), 'Ready');
  return { reason: ready?.reason ?? 'Unknown', message: ready?.message ?? '' };
}

const ENDINGS: Readonly<Record<string, Ending>> = {
  ReconciliationSucceeded: 'applied',
  UpgradeRolledBack: 'rolled back',
  RolledBack: 'rolled back',
  UpgradeFailed: 'stopped',
  RollbackFailed: 'rollback failed',
  Progressing: 'unfinished',
};

function endingOf(reason: string, exitCode: number): Ending {
  const isReady = reason === 'ReconciliationSucceeded';
  if (isReady !== (exitCode === EXIT.ok)) return isReady ? 'refused' : (ENDINGS[reason] ?? 'unfinished');
  return ENDINGS[reason] ?? 'refused';
}

/** Objects that came, went or are not the same, by name. */
export function differences(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): readonly string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => before.get(name) !== after.get(name)).toSorted();
}

/** Versions of the two editions. */
export function versionsOf({ from, to }: Editions): readonly [string, string] {
  const version = (source: unknown): string => asString(at(source, 'spec', 'version')) ?? '';
  return [version(from.source), version(to.source)];
}
