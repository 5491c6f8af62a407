import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { API_VERSION } from '../../api/names.ts';
import type { PlanSettings } from '../../compose/create-plan.ts';
import type { PlanResult } from '../../compose/planning.ts';
import type { PackagePlan, PlanInputs } from '../../domain/plan/plan.ts';
import { digestOf } from '../../lib/digest.ts';
import { asString, at, isRecord } from '../../lib/json.ts';
import type { CliHost, PlanTarget } from '../host.ts';
import type { InstallInput } from '../install/input.ts';
import { type InstallPlan, planInstall } from '../install/plan.ts';
import { planDocument, type PlanDocument } from './document.ts';
import { dryCluster } from './dry-cluster.ts';

/** A plan that was kept, to be carried out as it is or not at all. */
export interface SavedPlan extends PlanDocument {
  /** What is to be written, as it was asked for. */
  readonly apply: { readonly sources: readonly KubeObject[]; readonly packages: readonly KubeObject[] };
  /** What it was made with; where the files that they name are elsewhere now, the command line says so. */
  readonly settings: PlanSettings;
  /** Over all of the above: a plan that was edited is refused. */
  readonly seal: string;
}

export function savedPlan(
  result: PlanResult,
  { sources, packages }: Pick<InstallPlan, 'sources' | 'packages'>,
  settings: PlanSettings,
): SavedPlan {
  if (result.cluster === '') throw unknownCluster('the plan cannot be kept for this cluster alone');
  const apply = { sources: sources.map((one) => one.apply), packages: packages.map((one) => one.apply) };
  const plan = { ...planDocument(result), apply, settings };
  return { ...plan, seal: sealOf(plan) };
}

function sealOf({ seal: _former, ...plan }: Omit<SavedPlan, 'seal'> & { readonly seal?: string }): string {
  // As it is read back: without what JSON does not have.
  return digestOf(JSON.parse(JSON.stringify(plan)));
}

/** Fails with the remedy when the file is no plan, or is not as it was saved. */
export function parseSavedPlan(text: string, file: string): SavedPlan {
  const plan = parsed(text);
  if (!isRecord(plan) || plan['kind'] !== 'Plan' || !isRecord(plan['apply'])) {
    throw new KubepkgError('InvalidInput', `${file} is not a saved plan`, {
      hint: 'make one: kubepkg plan NAME --save FILE',
    });
  }
  if (plan['apiVersion'] !== API_VERSION) {
    throw new KubepkgError('Unsupported', `${file} is a plan of ${asString(plan['apiVersion']) ?? 'no version'}`, {
      hint: 'make it anew with this version of kubepkg: kubepkg plan NAME --save FILE',
    });
  }
  const saved = plan as unknown as SavedPlan;
  if (sealOf(saved) === saved.seal) return saved;
  throw new KubepkgError('InvalidInput', `${file} was changed after it was saved`, {
    hint: 'make it anew instead of editing it: kubepkg plan NAME --save FILE',
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** What `planInstall` is to plan, so that exactly that is written. */
export function inputOf({ apply }: SavedPlan, waitMs: number): InstallInput {
  const names = apply.packages.map(({ metadata }) => metadata.name);
  return { names, manifests: apply, settings: new Map(names.map((name) => [name, { values: {} }])), waitMs };
}

/** Two clusters that cannot be told from others are not the same one. */
function unknownCluster(consequence: string): KubepkgError {
  return new KubepkgError('ApiForbidden', `nothing tells this cluster from another one: ${consequence}`, {
    hint: 'get the right to get one of the namespaces kube-system and default, or CustomResourceDefinitions',
  });
}

/** Fails, naming everything that is not as it was when the plan was made. */
export function refuseOutdated(saved: SavedPlan, now: PlanResult): void {
  if (now.cluster === '') throw unknownCluster('whether the plan was made for it is not known');
  const differences = differencesBetween(saved, now);
  if (differences.length === 0) return;
  if (isCarriedOut(saved, now)) {
    const names = saved.packages.map(({ name }) => name);
    throw new KubepkgError('InvalidInput', `the plan was carried out already: ${names.join(', ')}`, {
      hint: `nothing is left to do; see how it is: kubepkg status ${names[0] ?? ''}`,
    });
  }
  throw new KubepkgError('InvalidInput', `the plan is out of date: ${differences.join('; ')}`, {
    hint: 'plan again, look at it, and install that: kubepkg plan NAME --save FILE',
  });
}

/** What was planned is there, and nothing more would be done. */
function isCarriedOut(saved: PlanDocument, { cluster, packages }: PlanResult): boolean {
  if (saved.cluster !== cluster || saved.packages.length !== packages.length) return false;
  return saved.packages.every(({ name, steps, inputs }) => {
    const after = packages.find((one) => one.name === name);
    const isDone = after?.end.kind === 'converged' && after.steps.length === 0;
    return isDone && steps.length > 0 && after.inputs.desired === inputs.desired;
  });
}

export function differencesBetween(saved: PlanDocument, now: PlanResult): readonly string[] {
  if (saved.cluster !== now.cluster) return ['it was made for another cluster'];
  const current = new Map(planDocument(now).packages.map((plan) => [plan.name, plan]));
  const known = new Set(saved.packages.map(({ name }) => name));
  const added = [...current.keys()].filter((name) => !known.has(name));
  const inputs = saved.packages.flatMap((before) => {
    const after = current.get(before.name);
    if (after === undefined) return [`package ${before.name} is not planned any more`];
    return inputDifferences(before.inputs, after.inputs).map((what) => `package ${before.name}: ${what}`);
  });
  const differences = [...added.map((name) => `package ${name} would be installed as well`), ...inputs];
  if (differences.length > 0) return differences;
  return saved.packages
    .filter((before) => digestOf(stepsOf(before)) !== digestOf(stepsOf(current.get(before.name))))
    .map(({ name }) => `package ${name}: other steps would be taken`);
}

function stepsOf(plan: Pick<PackagePlan, 'steps' | 'end'> | undefined): unknown {
  return JSON.parse(JSON.stringify({ steps: plan?.steps, end: { kind: plan?.end.kind, reason: plan?.end.reason } }));
}

function inputDifferences(before: PlanInputs, after: PlanInputs): readonly string[] {
  const what = [
    differs(before.package.uid, after.package.uid, 'the Package is another one of that name'),
    differs(before.package, after.package, 'the Package has changed'),
    differs(before.source, after.source, 'its PackageSource has changed'),
    differs(
      before.installed,
      after.installed,
      `its revisions are ${after.installed || 'none'} instead of ${before.installed || 'none'}`,
    ),
  ];
  const maps = [
    ...mapDifferences(before.charts, after.charts, (name) => `the chart of component ${name} has changed`),
    ...mapDifferences(before.values, after.values, (name) => `the values of component ${name} have changed`),
    ...mapDifferences(before.crds, after.crds, (name) => `CustomResourceDefinition ${name} has changed`),
    ...mapDifferences(before.requires, after.requires, (name) => requiredDiffers(name, after)),
  ];
  const found = [...what.flatMap((each) => each ?? []), ...maps];
  const rest = differs(before.desired, after.desired, 'what is wanted has changed');
  return found.length > 0 || rest === undefined ? found : [rest];
}

function requiredDiffers(name: string, after: PlanInputs): string {
  const version = after.requires[name] ?? '';
  return `the required package ${name} is ${version === '' ? 'not applied' : `at version ${version}`} now`;
}

function differs(before: unknown, after: unknown, what: string): string | undefined {
  return digestOf(before ?? null) === digestOf(after ?? null) ? undefined : what;
}

function mapDifferences(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
  describe: (name: string) => string,
): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return names.filter((name) => at(before, name) !== at(after, name)).map(describe);
}

export interface ApprovalRequest {
  readonly file: string;
  readonly target: PlanTarget;
  /** Where this machine has what the plan was made with, as far as it is elsewhere. */
  readonly places: Partial<PlanSettings>;
  readonly waitMs: number;
}

/**
 * For `install --plan FILE`: what is to be applied, once it is certain that a plan that is made now is the one that was
 * saved. Writes nothing.
 */
export async function approvedInstall(host: CliHost, request: ApprovalRequest): Promise<InstallPlan> {
  const { file, target, places, waitMs } = request;
  const saved = parseSavedPlan(await readPlan(host, file), file);
  const settings = { ...saved.settings, ...places };
  const input = inputOf(saved, waitMs);
  const wanted = await planInstall(await dryCluster(target.cluster, input.names.length), input);
  const sources = wanted.sources.map(({ after }) => after);
  refuseOutdated(saved, await host.plan(target, settings, { packages: wanted.packages, sources, objects: false }));
  return wanted;
}

async function readPlan(host: CliHost, file: string): Promise<string> {
  try {
    return await host.readFile(file);
  } catch (cause) {
    const why = asString(at(cause, 'code')) === 'ENOENT' ? 'there is no such file' : String(at(cause, 'message'));
    throw new KubepkgError('InvalidInput', `cannot read ${file}: ${why}`, {
      hint: 'make a plan first: kubepkg plan NAME --save FILE',
      cause,
    });
  }
}
