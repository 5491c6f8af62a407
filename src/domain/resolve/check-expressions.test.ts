import { describe, expect, it } from 'vitest';
import { findInvalidExpression } from './check-expressions.ts';
import type { DesiredComponent } from './desired.ts';

const base: DesiredComponent = {
  name: 'web',
  releaseName: 'web',
  namespace: 'shop',
  dependsOn: [],
  hook: false,
  chart: { kind: 'chart', repository: 'oci://example.dev/charts', name: 'web', version: '1.0.0' },
  values: {},
  privileged: false,
  upgradeCRDs: 'Skip',
  readyWhen: [],
  healthCheckExprs: [],
  readiness: {},
  recreate: 'FinishedJobs',
  skipSchemaValidation: false,
};

function withExpression(expression: string): DesiredComponent {
  const entry = { apiVersion: 'example.dev/v1', kind: 'Widget', name: 'w', status: 'True', expression };
  return { ...base, readyWhen: [entry] };
}

function withCheck(check: object): DesiredComponent {
  const complete = { apiVersion: 'example.dev/v1', kind: 'Widget', current: "status.phase == 'Ready'", ...check };
  return { ...base, healthCheckExprs: [complete] };
}

function find(component: DesiredComponent, hooks: readonly DesiredComponent[] = []) {
  return findInvalidExpression({ components: [component], hooks });
}

describe('expressions of a package', () => {
  it.each([
    ['a comparison', "status.phase == 'Running'"],
    ['a field that may not be there', "has(status.phase) && status.phase == 'Running'"],
    ['a top-level field of a Secret', "'token' in data && type == 'Opaque'"],
    ['the whole object', "self.status.phase == 'Running'"],
    ['a literal inside three macros', '[1].all(a, [1].all(b, [1].all(c, a + b + c > 0)))'],
  ])('P8 are accepted: %s', (_case, expression) => {
    expect(find(withExpression(expression))).toBeUndefined();
  });

  it.each([
    ['a syntax error', "status.phase = 'Running'", '1:14'],
    ['nothing', ' ', ''],
    ['a slip in the name of a variable', "stauts.phase == 'Running'", '1:1'],
    ['an unknown function', "status.phase.toLower() == 'running'", '1:14'],
    ['types that do not fit', "kind == 'Widget' && apiVersion > 1", '1:32'],
    ['a result that is no bool', 'status.replicas', '1:1'],
    ['an error on the third line', "true &&\n  true &&\n  1 == 'a'", '3:5'],
    ['a pattern that cannot work', "status.phase.matches('[')", '1:22'],
    ['a pattern that backtracks', "status.phase.matches('a(?=b)')", '1:22'],
    ['a pattern that is too big', "status.phase.matches('((a{900}){900}){900}')", '1:22'],
    ['four macros one inside the other', '[1].all(a, [1].all(b, [1].all(c, [1].all(d, true))))', '1:34'],
    ['more text than anybody reads', `true${' && true'.repeat(2000)}`, '1:1'],
    ['brackets without end', '('.repeat(4000), ''],
  ])('P8 are refused with the place: %s', (_case, expression, position) => {
    const found = find(withExpression(expression));
    expect(found).toMatchObject({ kind: 'unresolvable', reason: 'InvalidConfiguration' });
    expect(found?.message).toContain('component web: install.readyWhen[0].expression');
    expect(found?.message).toContain(position);
  });

  it.each([
    ['current', { current: '' }],
    ['current', { current: 'status.phase ==' }],
    ['inProgress', { inProgress: 'status.phase ==' }],
    ['failed', { failed: '1 + 1' }],
    ['current', { current: "self.status.phase == 'Ready'" }],
    ['apiVersion', { apiVersion: 'a/b/c' }],
  ])('P8 name the part of a health check that is wrong: %s of %o', (part, check) => {
    const found = find(withCheck(check));
    expect(found).toMatchObject({ reason: 'InvalidConfiguration' });
    expect(found?.message).toContain(`install.healthCheckExprs[0].${part} `);
  });

  it('an empty inProgress or failed is none', () => {
    expect(find(withCheck({ inProgress: '', failed: '' }))).toBeUndefined();
  });

  it('P8 are looked at in hooks, too', () => {
    expect(find(base, [withCheck({ current: '1' })])).toMatchObject({ reason: 'InvalidConfiguration' });
  });
});
