import { describe, expect, it } from 'vitest';
import { EXIT } from '../src/cli/exit-codes.ts';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { commandsPage, describedProgram, examplesOf } from './generate-commands.ts';

describe('the page of commands', () => {
  const { commands } = describedProgram();
  const page = commandsPage();

  it('docs/reference/commands.md is what the program knows', () => {
    expectGolden('docs/reference/commands.md', page);
  });

  it.each(commands.map((command) => [command.name(), command] as const))(
    '%s has examples in its help',
    (name, command) => {
      const examples = examplesOf(command);
      expect(examples).not.toEqual([]);
      for (const line of examples) expect(line).toMatch(new RegExp(`\\bkubepkg ${name}\\b`));
    },
  );

  it('names every command, each of its options and every exit code', () => {
    for (const command of commands) {
      const [, section = ''] = page.split(`\n## kubepkg ${command.name()}\n`);
      const flags = command.options.filter(({ hidden }) => !hidden).map(({ flags }) => flags.replaceAll('|', '\\|'));
      expect(flags.filter((each) => !section.split('\n## ')[0]?.includes(`| \`${each}\` |`))).toEqual([]);
    }
    expect(Object.values(EXIT).filter((code) => !page.includes(`\n| \`${String(code)}\` | `))).toEqual([]);
  });

  it('has tables without stray cells', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(rows.map((row) => row.split(/(?<!\\)\|/).length))).toEqual(new Set([4, 5]));
  });
});
