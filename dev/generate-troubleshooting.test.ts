import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../src/api/errors.ts';
import { READY_REASONS } from '../src/api/reasons.ts';
import { describedProgram } from './generate-commands.ts';
import { FAILURES } from './generate-failures.ts';
import { expectGolden } from '../test/golden/expect-golden.ts';
import { troubleshootingPage } from './generate-troubleshooting.ts';
import { OF_ERRORS, OF_FAILURES, OF_REASONS } from './troubleshooting-advice.ts';

describe('the page of troubles', () => {
  const page = troubleshootingPage();

  it('docs/guides/troubleshooting.md is what the code says', () => {
    expectGolden('docs/guides/troubleshooting.md', page);
  });

  it.each([
    ['error code', Object.keys(ERROR_CODES), Object.keys(OF_ERRORS)],
    ['reason', Object.keys(READY_REASONS), Object.keys(OF_REASONS)],
    ['failure', FAILURES.flatMap(({ failures }) => failures.map(({ what }) => what)), Object.keys(OF_FAILURES)],
  ])('has advice on each %s, and on nothing that is no more', (_what, known, advised) => {
    expect([...advised].sort()).toEqual([...known].sort());
  });

  it('has a cell for each column', () => {
    const rows = page.split('\n').filter((line) => line.startsWith('|'));
    expect(rows.filter((row) => row.split(/(?<!\\)\|/).length !== 6)).toEqual([]);
  });

  it('names commands and flags that exist', () => {
    const { commands } = describedProgram();
    const flags = new Set(commands.flatMap(({ options }) => options.map(({ long }) => long)));
    for (const option of describedProgram().options) flags.add(option.long);
    const names = new Set(commands.map((command) => command.name()));
    const said = [...page.matchAll(/kubepkg ([a-z]+)[ `]/g)].map(([, name = '']) => name);
    expect(said.filter((name) => !names.has(name))).toEqual([]);
    const written = [...page.matchAll(/(?<=[ `(])--[a-z][a-z-]*/g)].map(([flag]) => flag);
    const ofOthers = ['--server-side', '--help'];
    expect(written.filter((flag) => !flags.has(flag) && !ofOthers.includes(flag))).toEqual([]);
  });
});
