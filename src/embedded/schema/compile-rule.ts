import { compileCel } from '../../lib/cel/cel.ts';
import type { CompiledRule, ValidationRule } from '../model/schema.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * Functions of the API server's own CEL libraries that are not known here. A rule that uses one is not checked, because
 * an author's objects must not fail in a rehearsal for what a cluster accepts.
 */
const UNKNOWN_FUNCTIONS =
  /\b(?:quantity|isQuantity|url|isURL|ip|isIP|cidr|isCIDR|semver|isSemver|find|findAll|isSorted|sum|min|max|indexOf|lastIndexOf|format|getHost|getPort|authorizer|distinct|flatten|reverse|slice|sort|sortBy|lists|math|transformList|transformMap|transformMapEntry|existsOne|jsonpatch|bind)\s*[.(]/;

const OLD_SELF = /\boldSelf\b/;

/** `oldSelf` where it may be absent is an optional; it comes from a variable of this name. */
export const OLD_VALUE = 'oldSelfValue';

export function compileRule({ rule, messageExpression, optionalOldSelf }: ValidationRule): CompiledRule {
  const usesOldSelf = OLD_SELF.test(outsideTexts(rule));
  if (rule.trim() === '') return { usesOldSelf };
  const compiled: Mutable<CompiledRule> = { usesOldSelf };
  const main = compileCel(optionalOldSelf === true ? withOldSelf(rule, `optional.of(${OLD_VALUE})`) : rule);
  if (main.kind === 'compiled') compiled.program = main.program;
  else if (!UNKNOWN_FUNCTIONS.test(outsideTexts(rule))) compiled.mistake = main.message;
  if (optionalOldSelf === true) {
    const without = compileCel(withOldSelf(rule, 'optional.none()'));
    if (without.kind === 'compiled') compiled.withoutOldSelf = without.program;
  }
  const message = messageExpression === undefined ? undefined : compileCel(messageExpression);
  if (message?.kind === 'compiled') compiled.message = message.program;
  return compiled;
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
