import { compileCel } from '../../../lib/cel/cel.ts';
import { childrenOf, type Node } from '../../../lib/cel/nodes.ts';
import { subjectOf } from './each-object.ts';
import type { Foreseen, PlanFacts, PlannedComponent } from './facts.ts';

interface Expression {
  readonly field: string;
  readonly text: string;
}

/** Expressions that are true of a list in which nothing is left to look at. */
export function findEmptyLists(facts: PlanFacts): readonly Foreseen[] {
  return facts.components.flatMap((owner) =>
    expressionsOf(owner.component)
      .filter(({ text }) => holdsOfNothing(text))
      .map(({ field }) => ({
        subject: subjectOf(owner),
        message: `install.${field} asks .all() of a filtered list, which is true when the filter leaves nothing`,
        remedy: 'use exists(), or ask as well that size() of the filtered list is greater than 0',
      })),
  );
}

function expressionsOf({ readyWhen, healthCheckExprs }: PlannedComponent): readonly Expression[] {
  const entries = readyWhen.map(
    ({ expression }, index) => [`readyWhen[${String(index)}].expression`, expression] as const,
  );
  const checks = healthCheckExprs.flatMap((check, index) =>
    (['current', 'inProgress', 'failed'] as const).map(
      (part) => [`healthCheckExprs[${String(index)}].${part}`, check[part]] as const,
    ),
  );
  return [...entries, ...checks].flatMap(([field, text]) => (text === undefined ? [] : [{ field, text }]));
}

function holdsOfNothing(text: string): boolean {
  const compiled = compileCel(text);
  return compiled.kind === 'compiled' && finds(compiled.program.root, { text, isGuarded: false });
}

interface Search {
  readonly text: string;
  /** Something beside it, by `&&`, asks that there is something. */
  readonly isGuarded: boolean;
}

function finds(node: Node, search: Search): boolean {
  if (node.op === 'comprehension' && node.macro === 'all' && isFiltered(node.range) && !search.isGuarded) return true;
  const isGuarded = search.isGuarded || (node.op === '&&' && node.terms.some(asksForSome));
  return childrenOf(node).some((child) => finds(child, { ...search, isGuarded }));
}

function isFiltered(range: Node): boolean {
  if (range.op !== 'comprehension') return false;
  return range.macro === 'filter' || (range.macro === 'map' && (range.filter !== undefined || isFiltered(range.range)));
}

/** `exists`, or a size that is compared. */
function asksForSome(term: Node): boolean {
  if (term.op === 'comprehension') return term.macro === 'exists' || term.macro === 'exists_one';
  return term.op === 'call' && term.args.some((arg) => arg.op === 'call' && arg.name === 'size');
}
