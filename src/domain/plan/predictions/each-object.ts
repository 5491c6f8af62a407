import { nameOf, type ObjectRef, refOf } from '../../../api/kube.ts';
import type { ComponentFacts, Foreseen, ObjectFacts, PlanFacts } from './facts.ts';

export interface ObjectOf extends ObjectFacts {
  readonly facts: PlanFacts;
  readonly owner: ComponentFacts;
}

/** What one object alone tells. */
export function eachObject(
  find: (object: ObjectOf) => Omit<Foreseen, 'subject'> | undefined,
): (facts: PlanFacts) => readonly Foreseen[] {
  return (facts) =>
    facts.components.flatMap((owner) =>
      owner.objects.flatMap((object) => {
        const found = find({ ...object, facts, owner });
        return found === undefined ? [] : [{ subject: subjectOf(owner, refOf(object.after)), ...found }];
      }),
    );
}

export function eachComponent(
  find: (owner: ComponentFacts, facts: PlanFacts) => Omit<Foreseen, 'subject'> | undefined,
): (facts: PlanFacts) => readonly Foreseen[] {
  return (facts) =>
    facts.components.flatMap((owner) => {
      const found = find(owner, facts);
      return found === undefined ? [] : [{ subject: subjectOf(owner), ...found }];
    });
}

export function subjectOf({ component }: ComponentFacts, ref?: ObjectRef): string {
  const name = `${component.hook ? 'hook' : 'component'} ${component.name}`;
  return ref === undefined ? name : `${name}: ${nameOf(ref)}`;
}

const MOST = 5;

/** Some names, and how many more there are. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MOST;
  return more <= 0 ? names.join(', ') : `${names.slice(0, MOST).join(', ')} and ${String(more)} more`;
}
