import { parseDuration } from '../../lib/duration.ts';
import { matchesPod, type PodFacts } from './match.ts';
import { type Behaviour, BEHAVIOURS, type PodRule, type Scenario } from './types.ts';

const PREFIX = 'rehearse.kubepkg.dev/';

/** What one pod does in its life. */
export interface PodPlan {
  readonly behaviour: Behaviour;
  /** What it does before `after` and from `until` on. */
  readonly otherwise: Behaviour;
  /** Milliseconds from its creation. */
  readonly after: number;
  readonly until: number;
  readonly readyAfter: number;
  readonly initFor: number;
  readonly runsFor: number;
  readonly terminatesAfter: number;
  readonly exitCode: number;
  readonly failures: number;
  readonly log: readonly string[];
  readonly message: string | undefined;
}

export interface PodNature {
  readonly facts: PodFacts;
  readonly annotations: Readonly<Record<string, string>>;
  /** Its containers are not meant to run for ever. */
  readonly ends: boolean;
  readonly isOfJob: boolean;
}

/** By its annotations first, then by the first rule that matches, then by the defaults. */
export function planPod(nature: PodNature, scenario: Scenario): PodPlan {
  const rules = nature.isOfJob ? [...scenario.jobs, ...scenario.workloads] : scenario.workloads;
  const rule = rules.find(({ match }) => matchesPod(match, nature.facts));
  if (rule !== undefined) scenario.onUsed?.(rule);
  const said: Omit<PodRule, 'match'> = { ...withoutMatch(rule), ...annotated(nature.annotations) };
  const otherwise = nature.ends && said.behaviour !== 'never-ends' ? 'complete' : 'ready';
  const { jobRunsFor: runsFor, ...times } = scenario.defaults;
  const behaviour = said.behaviour ?? implied(said) ?? otherwise;
  const calm = { after: 0, until: Infinity, runsFor, exitCode: 1, failures: Infinity, log: [], message: undefined };
  return { ...calm, ...times, ...said, behaviour, otherwise };
}

/** An exit code or a number of failures says that it fails, a time that it comes to an end. */
function implied(said: Omit<PodRule, 'match'>): Behaviour | undefined {
  if (said.exitCode !== undefined && said.exitCode !== 0) return 'fail';
  if (said.failures !== undefined && said.failures > 0) return 'fail';
  return said.runsFor === undefined ? undefined : 'complete';
}

export function behaviourAt(plan: PodPlan, age: number): Behaviour {
  return age >= plan.after && age < plan.until ? plan.behaviour : plan.otherwise;
}

/** How long after an age its behaviour changes. */
export function nextTurn(plan: PodPlan, age: number): number | undefined {
  if (age < plan.after) return plan.after - age;
  return age < plan.until && plan.until !== Infinity ? plan.until - age : undefined;
}

function withoutMatch(rule: PodRule | undefined): Omit<PodRule, 'match'> {
  if (rule === undefined) return {};
  const { match: _match, ...rest } = rule;
  return rest;
}

/** An annotation that cannot be read is left out, as a cluster leaves out what it does not know. */
function annotated(annotations: Readonly<Record<string, string>>): Omit<PodRule, 'match'> {
  const text = (name: string): string | undefined => annotations[`${PREFIX}${name}`];
  const time = (name: string): number | undefined => parseDuration(text(name) ?? '');
  const whole = (name: string): number | undefined => (/^\d+$/.test(text(name) ?? '') ? Number(text(name)) : undefined);
  const said = {
    behaviour: BEHAVIOURS.find((behaviour) => behaviour === text('behaviour')),
    readyAfter: time('ready-after'),
    initFor: time('init-for'),
    runsFor: time('run-for'),
    terminatesAfter: time('terminate-after'),
    exitCode: whole('exit-code'),
    failures: whole('failures'),
    log: text('log')?.split('\n'),
    message: text('message'),
    after: time('after'),
    until: time('until'),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}
