import { compileCel, type Compilation } from '../../lib/cel/cel.ts';
import { KUBERNETES } from '../../lib/cel/library.ts';
import { BOOL, type CelType, DYN, STRING } from '../../lib/cel/types.ts';
import type { CompiledRule, ValidationRule } from '../model/schema.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

const OLD_SELF = /\boldSelf\b/;

/** `oldSelf` where it may be absent is an optional; it comes from a variable of this name. */
export const OLD_VALUE = 'oldSelfValue';

export function compileRule({ rule, messageExpression, optionalOldSelf }: ValidationRule): CompiledRule {
  const usesOldSelf = OLD_SELF.test(outsideTexts(rule));
  if (rule.trim() === '') return { usesOldSelf };
  const compiled: Mutable<CompiledRule> = { usesOldSelf };
  const main = compile(optionalOldSelf === true ? withOldSelf(rule, `optional.of(${OLD_VALUE})`) : rule, BOOL.type);
  if (main.kind === 'compiled') compiled.program = main.program;
  else compiled.mistake = main.message;
  if (optionalOldSelf === true) {
    const without = compile(withOldSelf(rule, 'optional.none()'), BOOL.type);
    if (without.kind === 'compiled') compiled.withoutOldSelf = without.program;
  }
  const message = messageExpression === undefined ? undefined : compile(messageExpression, STRING.type);
  if (message?.kind === 'compiled') compiled.message = message.program;
  else if (message !== undefined) compiled.messageMistake = message.message;
  return compiled;
}

/** What a rule looks at is of no known type: only what fits no object at all is seen here. */
const VARIABLES = new Map(['self', 'oldSelf', OLD_VALUE].map((name) => [name, DYN.type]));

function compile(expression: string, result: CelType): Compilation {
  return compileCel(expression, { variables: VARIABLES, library: KUBERNETES, result, mayBeUnknown: true });
}

const TEXTS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

function outsideTexts(expression: string): string {
  return expression.replace(TEXTS, '""');
}

function withOldSelf(rule: string, replacement: string): string {
  const parts = rule.split(TEXTS);
  const texts = rule.match(TEXTS) ?? [];
  return parts.map((part, index) => part.replace(/\boldSelf\b/g, replacement) + (texts[index] ?? '')).join('');
}
