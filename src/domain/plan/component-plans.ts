import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { componentsOf, lastApplied, membersOf } from '../decide/views.ts';
import { releaseKey, type World } from '../decide/world.ts';
import type { Forecast, ForeseenStep } from './forecast.ts';
import { UNKNOWN_CHART } from './assumed-charts.ts';
import type { ComponentPlan } from './plan.ts';

/** Characters of a digest that tell two apart. */
const SHORT = 12;

/** What becomes of every component, in the order of the steps; empty when no revision is carried out. */
export function componentPlans(start: World, forecast: Forecast): readonly ComponentPlan[] {
  const former = lastApplied(start);
  const next = forecast.world.revisions.at(-1);
  return forecast.steps.flatMap((step) => planOf(step, former, next) ?? []);
}

type Revision = PackageRevision | undefined;

function planOf(step: ForeseenStep, former: Revision, next: Revision): ComponentPlan | undefined {
  switch (step.kind) {
    case 'hook':
      return {
        ...named(step),
        change: 'hook',
        to: chartOf(hookIn(next, step.component)),
        why: ['the version changes'],
      };
    case 'install':
    case 'upgrade':
      return delivered(step, componentIn(former, step.component), componentIn(next, step.component));
    case 'keep': {
      const chart = chartOf(componentIn(next, step.component));
      return { ...named(step), change: 'keep', from: chart, to: chart, why: [] };
    }
    case 'remove':
      if (step.why === 'hook-done' || step.why === 'leftover' || step.why === 'moved') return undefined;
      return { ...named(step), change: 'remove', from: chartOf(componentIn(former, step.component)), why: [step.why] };
    case 'fetch':
    case 'begin':
    case 'commit':
    case 'fail':
    case 'claim-crds':
    case 'release-crds':
    case 'delete-crds':
    case 'unlock':
    case 'stop':
    case 'hand-back':
    case 'replace-pod':
    case 'take-over':
    case 'forget':
    case 'restore-namespace':
      return undefined;
  }
}

function named({ component, release }: { readonly component: string; readonly release: string }) {
  return { name: component, release };
}

function delivered(
  step: Extract<ForeseenStep, { kind: 'install' | 'upgrade' }>,
  before: RevisionComponent | undefined,
  after: RevisionComponent | undefined,
): ComponentPlan {
  const isMoved = before !== undefined && releaseKey(before) !== step.release;
  const charts = { from: chartOf(before), to: chartOf(after) };
  const change = isMoved ? 'move' : step.kind;
  return { ...named(step), change, ...charts, why: whyOf(before, after) };
}

function whyOf(before: RevisionComponent | undefined, after: RevisionComponent | undefined): readonly string[] {
  if (before === undefined || after === undefined) return ['it is new'];
  const isEqual = (field: 'chartDigest' | 'valuesDigest'): boolean => before[field] === after[field];
  const differences = [
    after.chartDigest === UNKNOWN_CHART ? 'the chart may differ' : unless(isEqual('chartDigest'), 'the chart'),
    unless(isEqual('valuesDigest'), 'the values'),
    unless(releaseKey(before) === releaseKey(after), `it moves from ${releaseKey(before)}`),
    unless(before.privileged === after.privileged, 'the level of pod security'),
  ].filter((difference) => difference !== undefined);
  return differences.length > 0 ? differences : ['its release is not as the revision had it'];
}

function unless(isSame: boolean, what: string): string | undefined {
  return isSame ? undefined : what;
}

function componentIn(revision: Revision, name: string): RevisionComponent | undefined {
  return revision === undefined ? undefined : componentsOf(revision).find((component) => component.name === name);
}

function hookIn(revision: Revision, name: string): RevisionComponent | undefined {
  return revision === undefined ? undefined : membersOf(revision, 'hooks').find((hook) => hook.name === name);
}

/** `store 1.2.0`, or the path in the tree and the beginning of the digest. */
export function chartOf(component: RevisionComponent | undefined): string | undefined {
  if (component === undefined) return undefined;
  const { chart, chartDigest } = component;
  if (chart !== undefined && chart.kind !== 'tree') return `${chart.name ?? ''} ${chart.version ?? ''}`.trim();
  const digest = chartDigest === UNKNOWN_CHART ? 'not fetched' : chartDigest.replace(/^sha256:/, '').slice(0, SHORT);
  return `${chart?.path ?? component.name} ${digest}`.trim();
}
