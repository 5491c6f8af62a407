import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseScenario } from './index.ts';
import { BEHAVIOURS } from './types.ts';

const page = readFileSync(new URL('../../../docs/guides/rehearse-scenarios.md', import.meta.url), 'utf8');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1] ?? '');
const HEAD = 'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: guide}\n';

describe('the guide to scenarios', () => {
  it.each(examples.map((text, index) => [index + 1, text] as const))(
    'has an example %d that is read',
    (_index, text) => {
      const whole = text.startsWith('apiVersion:') ? text : HEAD + text;
      expect(() => parseScenario(whole, 'guide.yaml')).not.toThrow();
    },
  );

  it('names all behaviours', () => {
    expect(BEHAVIOURS.filter((behaviour) => !page.includes(`| \`${behaviour}\` |`))).toEqual([]);
  });
});
