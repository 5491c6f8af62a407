import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { sha256 } from '../../../src/lib/digest.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import '../../setup/provided.ts';
import { configDigest } from './config-digest.ts';
import { goYaml } from './go-yaml.ts';

const LONG = 'word '.repeat(30).trim();

/** Keys of letters alone, which helm sorts as the controller does. */
const NASTY: readonly string[] = [
  ...[
    '',
    ' ',
    'one',
    'a b',
    ' a',
    'a ',
    'yes',
    'n',
    'NULL',
    '~',
    'true',
    'True',
    'tRue',
    '<<',
    '=',
    '.',
    '..',
    '...',
    '---',
    '--- a',
  ],
  ...[
    '1',
    '-1',
    '+1',
    '0x1f',
    '0o17',
    '017',
    '08',
    '0b11',
    '1_000',
    '1e3',
    '1.',
    '.5',
    '.5.5',
    '1.2.3',
    '12:30',
    '12:30:45',
    '1:2.5',
  ],
  ...[
    '2026-01-02',
    '2026-01-02T03:04:05Z',
    '2026-1-2 3:4:5',
    '2026-02-30',
    '1e999',
    '.1_0',
    '2026',
    '.inf',
    '-.inf',
    '.nan',
    'Infinity',
    'e3',
    '-',
    '- a',
    '-a',
    '?',
    '? a',
    ':',
    ': a',
    'a:',
    'a: b',
    'a:b',
  ],
  ...[
    '#',
    '# a',
    'a #',
    'a # b',
    'a#b',
    '[a]',
    '{a}',
    'a, b',
    '&a',
    '*a',
    '!a',
    '|',
    '>',
    "'",
    '"',
    "it's",
    'say "x"',
    '%a',
    '@a',
    '`a',
    'back\\slash',
    "'quoted'",
  ],
  ...[
    'tab\there',
    '\t',
    'nbsp\u00a0x',
    'ü',
    '日本',
    '😀',
    'bell\u0007',
    '\u2028',
    '\ufeff',
    'a\u0000b',
    'ctrl\u001b[0m',
  ],
  ...[
    'two\nlines',
    'end\n',
    'ends\n\n',
    '\n',
    '\n\n',
    '\nfirst',
    ' lead\nx',
    'trail \nx',
    'a\n\nb',
    'tab\n\tx',
    'x\n ',
    'x\n ',
  ],
  ...[
    LONG,
    `${LONG}: x`,
    `'${LONG}'`,
    `${LONG}\n${LONG}`,
    `  ${LONG}`,
    `${LONG}  ${LONG}`,
    `${'x'.repeat(100)} ${LONG}`,
    `😀 ${LONG}`,
    `it's ${LONG} it's`,
  ],
  ...[
    '{{ .Values.x }}',
    '${X}',
    'a=b',
    'http://x:80/y?z#f',
    '/var/run',
    '10Gi',
    '500m',
    '1.0',
    'v1.2.3',
    '1.2.3+up4',
    '0',
    '-0',
    '00',
    '0.0',
  ],
];

const VALUES: readonly (readonly [string, JsonObject])[] = [
  ['texts', Object.fromEntries(NASTY.map((text, index) => [letters(index), text]))],
  ['texts in lists', { list: [...NASTY] }],
  ['texts deep inside', { a: { b: { c: Object.fromEntries(NASTY.map((text, index) => [letters(index), text])) } } }],
  ['keys', Object.fromEntries(['yes', 'Key', 'key', 'null', 'off', 'plain', 'y', 'it s'].map((key) => [key, 1]))],
  [
    'numbers',
    {
      a: 1,
      b: -1,
      c: 0,
      d: 1.5,
      e: 1234567.5,
      f: 123456.5,
      g: 0.0001,
      h: 0.00001234,
      i: 1e15,
      j: -2.5e-7,
      l: 1e20,
      m: 1e22,
      k: 3e-10,
    },
  ],
  [
    'shapes',
    {
      a: [],
      b: {},
      c: [[1, 2], [[3]], []],
      d: [{ x: 1, y: [1] }, { z: {} }],
      e: null,
      f: [null, true, 'x'],
      g: { h: [{ i: { j: [] } }] },
    },
  ],
];

function letters(index: number): string {
  return `k${String.fromCharCode(97 + Math.floor(index / 26))}${String.fromCharCode(97 + (index % 26))}`;
}

/** What helm's `toYaml` makes of values, which is the same library. */
function helmYaml(values: JsonObject): string {
  const folder = mkdtempSync(join(tmpdir(), 'go-yaml-'));
  try {
    mkdirSync(join(folder, 'templates'));
    writeFileSync(join(folder, 'Chart.yaml'), 'apiVersion: v2\nname: probe\nversion: 1.0.0\n');
    writeFileSync(join(folder, 'templates', 'x.yaml'), 'text: {{ toYaml .Values | b64enc }}\n');
    const args = ['template', 'x', folder, '--values', '-'];
    // Otherwise helm reads some of them as line breaks.
    const input = JSON.stringify(values).replace(/[\u0085\u2028\u2029\ufeff]/g, escapeCharacter);
    const output = execFileSync(inject('helm'), args, { input, encoding: 'utf8' });
    return `${Buffer.from(/text: (\S*)/.exec(output)?.[1] ?? '', 'base64').toString('utf8')}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

describe("YAML as Go's library writes it", () => {
  it.each(VALUES)('is the same of %s', (_, values) => {
    expect(goYaml(values)).toBe(helmYaml(values));
  });

  it('sorts keys by their bytes, and not as helm does', () => {
    expect(goYaml({ a10: 1, a9: 2, Z: 3, _: 4, '-x': 5 })).toBe(
      '-x: 5\nZ: 3\n_: 4\na9: 2\na10: 1\n'.replace('a9: 2\na10: 1', 'a10: 1\na9: 2'),
    );
  });
});

describe('the digest of values', () => {
  it('is of an empty text when there are none', () => {
    expect(configDigest({})).toBe(`sha256:${sha256('')}`);
  });

  it('is the one in the traces', () => {
    expect(configDigest({ msg: 'one' })).toBe(
      'sha256:f75f25aff002e717907d5ee8bf20c143fde618649cd6b25a1dd7ff354839f0e6',
    );
  });
});
