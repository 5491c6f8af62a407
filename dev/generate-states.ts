import { type Step, STEPS } from '../src/domain/decide/steps.ts';
import { COMPONENT_STATES } from '../src/domain/release/classify-component.ts';
import { code, page, prose, table } from './generate-reference.ts';

/** What each step does; a step that is missing here does not compile. */
const STEP_MEANINGS: Readonly<Record<Step, string>> = {
  fail: 'The component fails, and its revision with it; nothing after it is begun.',
  wait: 'Nothing is done; an event, the end of a pause or the deadline brings the next look.',
  stop: 'The delivery that runs in this process is ended.',
  install: 'The attempt is written into the journal, then the release is installed.',
  upgrade: 'The attempt is written into the journal, then the release is upgraded.',
  accept: 'Written into the journal without a delivery; its time to become ready begins.',
  unlock: 'The record that was left pending is closed, so that the release can be delivered again.',
  uninstall: 'The release is uninstalled, so that it can be installed afresh.',
  move: 'The release in the former place is uninstalled; the component comes to its new place once all of it is gone.',
  redrive: 'The same attempt is delivered again: nothing of it had begun.',
  retry: 'A new attempt is written into the journal and delivered, within the same deadline.',
  note: "The backend's number of the release is written into the journal.",
  'mark-ready': 'Written into the journal as ready, together with whatever comes next.',
  next: 'The component after it is looked at; after the last one the revision is applied.',
  rewait: 'Waited for again, once with a fresh deadline.',
};

/** What is done instead while a rollback puts releases back, one after the other, and only delivery counts. */
const RESTORE_MEANINGS = {
  pass: 'the next release is put back',
  accept: 'noted, then the next release is put back',
  note: 'noted, then the next release is put back',
} as const;

/** The states of a component and what is done in each of them, from the one table that the decision uses. */
export function statesPage(): string {
  const states = COMPONENT_STATES.map((state) => {
    const { step, restore, why } = STEPS[state];
    return [code(state), code(step), restore === undefined ? '' : RESTORE_MEANINGS[restore], sentence(why)];
  });
  const steps = Object.entries(STEP_MEANINGS).map(([step, meaning]) => [code(step), statesWith(step), prose(meaning)]);
  return page(
    'States of a component',
    'While a revision is in progress, every look finds each of its components in exactly one of these states. Hooks are looked at before components, and both in their order; the first one that is not ready decides what is done now. After each step everything is looked at anew.',
    table(['State', 'Step', 'While a rollback restores', 'Why'], states),
    '## Steps',
    table(['Step', 'In the states', 'What is done'], steps),
  );
}

function statesWith(step: string): string {
  return COMPONENT_STATES.filter((state) => STEPS[state].step === step)
    .map(code)
    .join(', ');
}

function sentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${prose(why.slice(1))}.`;
}
