import { RuleTester } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, it } from 'vitest';
import { house } from './plugin.mjs';

RuleTester.describe = describe;
RuleTester.it = it;

const tester = new RuleTester({ languageOptions: { parser: tseslint.parser } });

function rule(name: keyof typeof house.rules) {
  return [`house/${name}`, house.rules[name]] as const;
}

tester.run(...rule('floors'), {
  valid: [
    { code: "import { at } from '../lib/json.ts';", filename: 'src/api/a.ts' },
    { code: "import * as z from 'zod';", filename: 'src/api/a.ts' },
    { code: "import { run } from '../../src/engine/run.ts';", filename: 'dev/demo/main.ts' },
  ],
  invalid: [
    { code: "import { run } from '../engine/run.ts';", filename: 'src/api/a.ts', errors: 1 },
    { code: "import type { Run } from '../engine/run.ts';", filename: 'src/api/a.ts', errors: 1 },
    { code: "export { run } from '../engine/run.ts';", filename: 'src/api/a.ts', errors: 1 },
    { code: "export * from '../engine/run.ts';", filename: 'src/api/a.ts', errors: 1 },
    { code: "const run = await import('../engine/run.ts');", filename: 'src/api/a.ts', errors: 1 },
    { code: "type Run = import('../engine/run.ts').Run;", filename: 'src/api/a.ts', errors: 1 },
    { code: "import { readFileSync } from 'node:fs';", filename: 'src/domain/plan/a.ts', errors: 1 },
  ],
});

tester.run(...rule('no-clock'), {
  valid: [
    'clock.after(5, done);',
    'socket.setTimeout(5);',
    'const at = new Date(ms).toISOString();',
    'const at = Date.parse(text);',
    { code: 'const started = Date.now();', options: [{ allowReads: true }] },
  ],
  invalid: [
    { code: 'setTimeout(done, 5);', errors: 1 },
    { code: 'globalThis.setInterval(done, 5);', errors: 1 },
    { code: 'setTimeout(done, 5);', options: [{ allowReads: true }], errors: 1 },
    { code: "import { setTimeout as delay } from 'node:timers/promises';", errors: 1 },
    { code: 'const now = Date.now();', errors: 1 },
    { code: 'const now = new Date();', errors: 1 },
    { code: 'const pick = [1, 2].map(Math.random);', errors: 1 },
    { code: 'const signal = AbortSignal.timeout(5);', errors: 1 },
  ],
});

tester.run(...rule('no-module-state'), {
  valid: [
    "const KINDS = new Set(['Pod']);",
    'export const LIMITS = { depth: 3 } as const;',
    'function count() { let n = 0; n += 1; return n; }',
    'declare let version: string;',
  ],
  invalid: [
    { code: 'let count = 0;', errors: 1 },
    { code: 'export let count = 0;', errors: 1 },
    { code: 'const cache = new Map<string, string>();', errors: 1 },
    { code: 'const seen: string[] = [];', errors: 1 },
    { code: 'export const registry = {};', errors: 1 },
  ],
});

tester.run(...rule('no-swallowed-error'), {
  valid: [
    'try { go(); } catch (error) { report(error); }',
    'try { go(); } catch { /* it may be gone already */ }',
    'go().catch((error) => report(error));',
    'go().catch(() => { /* it may be gone already */ });',
    "const text = read().catch(() => '');",
    'const found = await stat(path).catch(() => undefined);',
  ],
  invalid: [
    { code: 'try { go(); } catch {}', errors: 1 },
    { code: 'go().catch(() => {});', errors: 1 },
    { code: 'go().catch(() => undefined);', errors: 1 },
    { code: 'await go().catch(() => undefined);', errors: 1 },
    { code: 'void go().catch(() => undefined);', errors: 1 },
  ],
});

tester.run(...rule('explained-suppression'), {
  valid: [
    '// eslint-disable-next-line complexity -- one row for each kind reads best in one place\nfunction f() {}',
    '// a comment about eslint-disable',
  ],
  invalid: [
    { code: '// eslint-disable-next-line\nfunction f() {}', errors: 1 },
    { code: '// eslint-disable-next-line complexity\nfunction f() {}', errors: 1 },
    { code: '// eslint-disable-next-line complexity -- why\nfunction f() {}', errors: 1 },
    { code: '/* eslint-disable complexity -- this whole file is a table of cases */\nfunction f() {}', errors: 1 },
  ],
});
