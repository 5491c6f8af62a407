import { formatAge, parseTime } from '../text/age.ts';
import type { Paint, Style } from '../text/paint.ts';
import type { ComponentReport, ComponentState, RevisionReport } from './package-report.ts';

const STYLES: Readonly<Record<ComponentState, Style>> = {
  Pending: 'dim',
  Submitted: 'cyan',
  Ready: 'green',
  Failed: 'red',
};

export function paintState(state: ComponentState, paint: Paint): string {
  return paint(STYLES[state], state);
}

export function componentTitle(component: ComponentReport): string {
  return component.hook ? `${component.name} (hook)` : component.name;
}

/** How long it has been running, or took. */
export function elapsed(component: ComponentReport, now: number): string {
  const started = parseTime(component.startedAt);
  if (started === undefined) return '';
  const end = component.state === 'Submitted' ? now : parseTime(component.readyAt);
  return end === undefined ? '' : formatAge(end - started);
}

/** What a component waits for, why it failed, or what comes before it. */
export function componentDetail(revision: RevisionReport, index: number): string {
  const component = revision.components[index];
  if (component === undefined) return '';
  if (component.message !== '' && component.state !== 'Ready') return component.message;
  if (component.state !== 'Pending')
    return component.state === 'Submitted' ? 'waiting until it is ready' : component.message;
  const before = revision.components.slice(0, index).find((one) => one.state !== 'Ready');
  return before === undefined ? '' : `after ${before.name}`;
}

/** Time left until the deadline of a component that is being waited for. */
export function timeLeft(component: ComponentReport, now: number): string {
  const deadline = component.state === 'Submitted' ? parseTime(component.deadline) : undefined;
  if (deadline === undefined) return '';
  return deadline <= now ? 'deadline passed' : `${formatAge(deadline - now)} left`;
}
