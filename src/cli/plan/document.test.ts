import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aPackagePlan } from '../../../test/build/plans.ts';
import type { ForecastEnd, ForeseenStep } from '../../domain/plan/forecast.ts';
import type { CrdPlan, PackagePlan } from '../../domain/plan/plan.ts';
import { planDocument } from './document.ts';

/** Complete, by the compiler. */
const STEPS: Readonly<Record<ForeseenStep['kind'], true>> = {
  fetch: true,
  begin: true,
  hook: true,
  install: true,
  upgrade: true,
  keep: true,
  remove: true,
  commit: true,
  fail: true,
  'claim-crds': true,
  'release-crds': true,
  'delete-crds': true,
  unlock: true,
  stop: true,
  'hand-back': true,
  'replace-pod': true,
  'take-over': true,
  forget: true,
  'restore-namespace': true,
};
const ENDS: Readonly<Record<ForecastEnd['kind'], true>> = {
  converged: true,
  removed: true,
  blocked: true,
  stalled: true,
  invalid: true,
  endless: true,
};
const CHANGES: Readonly<Record<PackagePlan['change'] | PackagePlan['components'][number]['change'], true>> = {
  install: true,
  upgrade: true,
  downgrade: true,
  change: true,
  keep: true,
  remove: true,
  move: true,
  hook: true,
};
const CRDS: Readonly<Record<CrdPlan['action'], true>> = {
  create: true,
  replace: true,
  leave: true,
  'not-created': true,
  claim: true,
  release: true,
  unknown: true,
};

const PAGE = readFileSync('docs/reference/plan.md', 'utf8');
/** Keys there are names of things. */
const MAPS = ['charts', 'values', 'crds', 'requires'];

function fieldsOf(value: unknown, isMap = false): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => fieldsOf(item));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => {
    const isMapBelow = MAPS.includes(key) && !Array.isArray(below);
    return [...(isMap ? [] : [key]), ...fieldsOf(below, isMapBelow)];
  });
}

describe('the plan as data', () => {
  const document = planDocument({ cluster: 'uid', packages: [aPackagePlan()] });

  it('has every field on its page', () => {
    const fields = new Set(fieldsOf(document).filter((field) => field !== 'apiVersion' && field !== 'kind'));
    expect([...fields].filter((field) => !PAGE.includes(`\`${field}\``))).toEqual([]);
  });

  it.each([
    ['step', STEPS],
    ['end', ENDS],
    ['change', CHANGES],
    ['action on a CRD', CRDS],
  ])('has every %s on its page', (_what, words) => {
    expect(Object.keys(words).filter((word) => !PAGE.includes(`\`${word}\``))).toEqual([]);
  });

  it('numbers its steps', () => {
    expect(document.packages[0]?.steps.map(({ number, kind }) => `${String(number)} ${kind}`).slice(0, 2)).toEqual([
      '1 fetch',
      '2 begin',
    ]);
  });
});
