import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../../api/errors.ts';
import { VirtualClock } from '../../../test/fakes/clock.ts';
import { createLineLog, type LineLogOptions } from './line-log.ts';
import { LOG_LEVELS } from './log-entry.ts';

function logTo(options: Partial<LineLogOptions> = {}) {
  const lines: string[] = [];
  const write = (line: string): void => {
    lines.push(line);
  };
  return {
    lines,
    log: createLineLog({ format: 'json', level: 'debug', clock: new VirtualClock(), write, ...options }),
  };
}

describe('a log in JSON', () => {
  it('writes one object on each line, with time, level, message and fields', () => {
    const { lines, log } = logTo();
    log.info('package is ready', { package: 'app', revision: 3, note: undefined });
    expect(lines).toEqual([
      '{"time":"2030-01-01T00:00:00.000Z","level":"info","message":"package is ready","package":"app","revision":3}\n',
    ]);
  });

  it('keeps its own keys when a field has the same name', () => {
    const { lines, log } = logTo();
    log.warn('slow', { message: 'other', level: 9 });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ message: 'slow', level: 'warn', _message: 'other', _level: 9 });
  });

  it.each([
    ['a circle', circle(), { self: '(circular)' }],
    ['a number that JSON lacks', { n: Number.NaN, big: 10n }, { n: 'NaN', big: '10' }],
    [
      'what is no data',
      { call: () => 1, mark: Symbol('x'), gone: undefined },
      { call: '(function)', mark: '(symbol)' },
    ],
    ['collections', { map: new Map([['a', 1]]), set: new Set([2]) }, { map: { a: 1 }, set: [2] }],
    [
      'times',
      { at: new Date(0), never: new Date(Number.NaN) },
      { at: '1970-01-01T00:00:00.000Z', never: 'Invalid Date' },
    ],
    ['what is nested too deep', nest(8), nest(6, '(too deep)')],
  ])('carries %s', (_what, value, written) => {
    const { lines, log } = logTo();
    log.info('x', { value });
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ value: written });
  });

  it('says what an error says, its code and its cause, and keeps the stack to faults of ours', () => {
    const { lines, log } = logTo();
    const cause = new TypeError('low');
    log.error('failed', { error: new KubepkgError('HelmFailed', 'helm ended', { hint: 'look', cause }) });
    log.error('failed', { error: new RangeError('bug') });
    log.warn('failed', { error: new RangeError('bug') });
    const errors = lines.map((line) => (JSON.parse(line) as { error: Record<string, unknown> }).error);
    expect(errors[0]).toMatchObject({
      message: 'helm ended',
      code: 'HelmFailed',
      hint: 'look',
      cause: { message: 'low' },
    });
    expect(errors[0]).not.toHaveProperty('stack');
    expect(errors[1]).toHaveProperty('stack');
    expect(errors[2]).toEqual({ message: 'bug', name: 'RangeError' });
  });
});

describe('a log in text', () => {
  it('writes time, level, message and fields, quoting what has blanks', () => {
    const { lines, log } = logTo({ format: 'text' });
    log.warn('retrying', { package: 'app', why: 'no answer', after: 2 });
    expect(lines).toEqual(['00:00:00.000 WARN  retrying  package=app  why="no answer"  after=2\n']);
  });

  it('lets no field move the cursor or begin a line', () => {
    const { lines, log } = logTo({ format: 'text' });
    log.info('x\ny', { text: '\u001b[2Jgone\n' });
    expect(lines.join('')).not.toContain('\u001b');
    expect(lines.join('').split('\n')).toHaveLength(2);
  });
});

describe('the level of a log', () => {
  it.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('%s lets pass what is as severe', (level, passed) => {
    const { lines, log } = logTo({ level });
    for (const one of LOG_LEVELS) log[one]('x');
    expect(lines.map((line) => (JSON.parse(line) as { level: string }).level)).toEqual(passed);
  });
});

function circle(): unknown {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

function nest(depth: number, end: unknown = 'end'): unknown {
  return depth === 0 ? end : { in: nest(depth - 1, end) };
}
