import { describe, expect, it } from 'vitest';
import { aComponent, aPackage, aSource } from '../../../test/build/objects.ts';
import type { Failure } from '../../compose/rehearsal/failure.ts';
import type { DesiredPackage } from '../../domain/resolve/desired.ts';
import { resolvePackage } from '../../domain/resolve/resolve-package.ts';
import { junitText, rehearsalDocument } from './documents.ts';
import { editionBefore } from './editions.ts';
import { parseFailure, usualFailures } from './failures.ts';
import { findStep } from './find-step.ts';
import { differences } from './play.ts';
import { brokenPromises } from './promises.ts';
import type { RehearsalResult } from './rehearsal-case.ts';
import { endLines, matrixLines, sceneLines } from './report.ts';

const COMPONENTS = [aComponent('migrate', { phase: 'PreUpgrade' }), aComponent('store'), aComponent('app')];

function desired(safe: boolean): DesiredPackage {
  const resolution = resolvePackage(aPackage(), aSource(COMPONENTS, { rollback: { safe } }), {
    defaultBackend: 'helm',
  });
  if (resolution.kind !== 'resolved') throw new Error(resolution.message);
  return resolution.desired;
}

function failing(component: string, kind: Failure['kind'] = 'never-ready'): Failure {
  return { component, kind, namespace: component, releaseName: component };
}

const WELL: RehearsalResult = {
  case: { failures: [] },
  ending: 'applied',
  reason: 'ReconciliationSucceeded',
  message: 'revision 2 (1.1.0) is applied and healthy',
  exitCode: 0,
  durationMs: 72_000,
  changed: ['Deployment shop/app'],
  struck: [],
  hookRuns: { migrate: 1 },
  steps: [
    { number: 1, what: 'PackageRevision shop-2 is created', time: 0 },
    { number: 2, what: 'hook migrate is recorded as Submitted', time: 1000 },
  ],
  scenes: [{ command: 'kubepkg upgrade shop -f to.yaml', exitCode: 0, text: 'shop 1.1.0 is ready\n' }],
  broken: [],
};

function seen(parts: Partial<RehearsalResult>): RehearsalResult {
  return { ...WELL, ...parts };
}

describe('what is promised of a rehearsed upgrade', () => {
  const app = { case: { failures: [failing('app')] }, struck: ['app'] };
  const hook = { case: { failures: [failing('migrate', 'hook')] }, struck: ['migrate'] };
  it.each<[string, boolean, Partial<RehearsalResult>, readonly string[]]>([
    ['P1 it is applied', true, {}, []],
    ['P10 one that fails is undone, whole', true, { ...app, ending: 'rolled back', changed: [] }, []],
    ['P11 where that is not safe it stops', false, { ...app, ending: 'stopped' }, []],
    ['P15 behind a hook that fails nothing has changed', true, { ...hook, ending: 'stopped', changed: [] }, []],
    ['a component of which nothing changes cannot fail', true, { case: { failures: [failing('app')] } }, []],
    ['P16 a hook runs once', true, { hookRuns: { migrate: 2 } }, ['hook migrate ran 2 times']],
    ['P10 half of it stays', true, { ...app, ending: 'rolled back' }, ['Deployment shop/app is not as it was before']],
    [
      'P10 it is not undone',
      true,
      { ...app, ending: 'stopped', reason: 'UpgradeFailed' },
      ['it had to be rolled back, and is stopped (UpgradeFailed)'],
    ],
  ])('%s', (_what, safe, parts, broken) => {
    expect(brokenPromises(seen(parts), { desired: desired(safe), isScripted: false })).toEqual(broken);
  });
});

it('leaves it to a scenario how an upgrade ends, and not what a rollback leaves', () => {
  const judge = (parts: Partial<RehearsalResult>): readonly string[] =>
    brokenPromises(seen(parts), { desired: desired(true), isScripted: true });
  expect(judge({ ending: 'stopped', reason: 'UpgradeFailed' })).toEqual([]);
  expect(judge({ ending: 'rolled back' })).toEqual(['Deployment shop/app is not as it was before']);
});

describe('what is to fail', () => {
  it.each([
    ['app', failing('app', 'never-ready')],
    ['app=crash', failing('app', 'crash')],
    ['store=render', failing('store', 'render')],
    ['migrate', failing('migrate', 'hook')],
  ])('is told by %s', (word, failure) => {
    expect(parseFailure(word, desired(true))).toMatchObject({ component: failure.component, kind: failure.kind });
  });

  it.each([
    ['ap', 'has no component ap', 'did you mean app?'],
    ['app=explode', 'explode is no way to fail', 'write one of never-ready, crash, render, hook'],
    ['app=hook', 'app is no hook', 'only a component with install.phase PreUpgrade'],
  ])('is refused with the remedy: %s', (word, message, hint) => {
    expect(() => parseFailure(word, desired(true))).toThrow(
      expect.objectContaining({
        code: 'InvalidInput',
        message: expect.stringContaining(message) as unknown,
        hint: expect.stringContaining(hint) as unknown,
      }),
    );
  });

  it('is in a matrix each part in turn, in the way that is usual for it', () => {
    const kinds = usualFailures(desired(true)).map(({ component, kind }) => [component, kind]);
    expect(kinds).toEqual([
      ['migrate', 'hook'],
      ['store', 'never-ready'],
      ['app', 'never-ready'],
    ]);
  });
});

describe('the version before, where none is named', () => {
  it.each([
    ['1.1.0', '1.1.0-0'],
    ['1.1.0+build.3', '1.1.0-0+build.3'],
    ['2.0.0-rc.1', '2.0.0-0'],
  ])('is that of the same charts just below %s', (version, before) => {
    const source = {
      apiVersion: 'kubepkg.dev/v1',
      kind: 'PackageSource',
      metadata: { name: 'shop' },
      spec: { version },
    };
    expect(editionBefore({ source, trees: new Map() }).source['spec']).toEqual({ version: before });
  });
});

describe('where the operator is killed', () => {
  it.each([
    ['2', 2],
    ['hook migrate', 2],
    ['created', 1],
  ])('is told by %s', (word, number) => {
    expect(findStep(word, WELL.steps)).toBe(number);
  });

  it.each(['3', '0', 'nothing of that kind'])('and refused where no step is %s', (word) => {
    expect(() => findStep(word, WELL.steps)).toThrow(expect.objectContaining({ code: 'InvalidInput' }));
  });
});

describe('what is told of a rehearsal', () => {
  const bad = seen({ broken: ['hook migrate ran 2 times'], killedAt: WELL.steps[1] });

  it('is one line for each upgrade', () => {
    expect(matrixLines([WELL, bad], Infinity)).toEqual([
      'ENDS      TOOK    HOOKS RUN    CHANGED   AS PROMISED   WHAT GOES WRONG',
      'applied   1m12s   migrate 1x   1         yes           nothing goes wrong',
      'applied   1m12s   migrate 1x   1         NO            operator killed after step 2: hook migrate is recorded as Submitted; hook migrate ran 2 times',
    ]);
  });

  it('are the commands with what they print, and how it ended', () => {
    expect([...sceneLines(WELL.scenes), ...endLines(bad)]).toEqual([
      '$ kubepkg upgrade shop -f to.yaml',
      'shop 1.1.0 is ready',
      '',
      'operator killed after step 2: hook migrate is recorded as Submitted: applied after 1m12s (ReconciliationSucceeded: revision 2 (1.1.0) is applied and healthy)',
      'hooks run: migrate 1x; steps: 2; not as before: Deployment shop/app',
      'NOT AS PROMISED: hook migrate ran 2 times',
    ]);
  });

  const rehearsed = { package: 'shop', from: '1.0.0', to: '1.1.0', install: WELL.scenes[0] ?? never(), results: [bad] };

  it('is data for programs', () => {
    expect(rehearsalDocument(rehearsed)).toMatchObject({
      package: 'shop',
      upgrades: [{ killedAfter: 2, ending: 'applied', seconds: 72, asPromised: false, hookRuns: { migrate: 1 } }],
    });
  });

  it('is JUnit XML for CI, whatever the messages hold', () => {
    const text = junitText({ ...rehearsed, results: [{ ...bad, message: 'a < b & "c"\u0007' }] });
    expect(text).toContain('<testsuites tests="1" failures="1">');
    expect(text).toContain('<failure message="hook migrate ran 2 times"/>');
    expect(text).toContain('a &lt; b &amp; &quot;c&quot;</system-out>');
  });
});

describe('the difference between two moments', () => {
  it('is what came, went, or is another', () => {
    const before = new Map([
      ['a', '1'],
      ['b', '1'],
      ['c', '1'],
    ]);
    const after = new Map([
      ['a', '1'],
      ['b', '2'],
      ['d', '1'],
    ]);
    expect(differences(before, after)).toEqual(['b', 'c', 'd']);
  });
});

function never(): never {
  throw new Error('there is a scene');
}
