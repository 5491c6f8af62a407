import type { Rule } from 'eslint';

type RuleName = 'explained-suppression' | 'floors' | 'no-clock' | 'no-module-state' | 'no-swallowed-error';

export const house: {
  readonly meta: { readonly name: string };
  readonly rules: Readonly<Record<RuleName, Rule.RuleModule>>;
};
