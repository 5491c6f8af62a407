import type { PackageRevision } from '../../api/package-revision.ts';
import { asString, at } from '../../lib/json.ts';
import type { JsonMap } from '../../embedded/model/object.ts';

/** One write to the cluster, by the operator or a helm of its: a boundary at which the operator may be killed. */
export interface Step {
  /** From 1 on. */
  readonly number: number;
  /** In people's words: `app is recorded as Submitted`, `helm writes Deployment shop/app`. */
  readonly what: string;
  readonly time: number;
}

/** Counts what is written. */
export class Steps {
  readonly #now: () => number;
  readonly #onTaken: (step: Step) => void;
  #taken: Step[] = [];

  constructor(now: () => number, onTaken: (step: Step) => void) {
    this.#now = now;
    this.#onTaken = onTaken;
  }

  get taken(): readonly Step[] {
    return this.#taken;
  }

  /** Counts on from those that were taken before. */
  goOnFrom(taken: readonly Step[]): void {
    this.#taken = [...taken];
  }

  take(what: string): void {
    const step = { number: this.#taken.length + 1, what, time: this.#now() };
    this.#taken.push(step);
    this.#onTaken(step);
  }
}

const PARTS = ['hooks', 'components', 'removals'] as const;

/** What a write of a revision's status records that was not recorded before. */
export function recorded(revision: JsonMap, before: JsonMap | undefined): string {
  const number = String(at(revision, 'spec', 'revision'));
  const [phase, was] = [at(revision, 'status', 'phase'), at(before, 'status', 'phase')];
  const news = PARTS.flatMap((part) => newsOf(part, { revision, before }));
  const ends = phase === was ? [] : [`revision ${number} is recorded as ${String(phase)}`];
  const said = [...news, ...ends];
  return said.length === 0 ? `the status of revision ${number} is written` : said.join(', ');
}

interface Change {
  readonly revision: JsonMap;
  readonly before: JsonMap | undefined;
}

function newsOf(part: (typeof PARTS)[number], { revision, before }: Change): readonly string[] {
  const states = statesOf(revision, part);
  const old = statesOf(before, part);
  const noun = part === 'removals' ? 'the removal of ' : part === 'hooks' ? 'hook ' : '';
  return [...states].flatMap(([name, state]) =>
    old.get(name) === state ? [] : [`${noun}${name} is recorded as ${state}`],
  );
}

function statesOf(revision: JsonMap | undefined, part: (typeof PARTS)[number]): ReadonlyMap<string, string> {
  const list = (at(revision, 'status', part) ?? []) as NonNullable<PackageRevision['status']>['components'] & object;
  return new Map(list.map((each) => [each.name, asString(at(each, 'state')) ?? '']));
}
