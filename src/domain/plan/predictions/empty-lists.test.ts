import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf } from '../../../../test/build/plan-facts.ts';
import { compileCel, evaluate } from '../../../lib/cel/cel.ts';

const FILTERED = "status.conditions.filter(c, c.type == 'Ready').all(c, c.status == 'True')";
const WARNED = ['TrueOfNothing component store'];

describe('an expression', () => {
  it.each([
    [FILTERED, WARNED],
    [`has(status.conditions) && ${FILTERED}`, WARNED],
    [`!(${FILTERED})`, WARNED],
    ["status.conditions.filter(c, c.type == 'Ready').map(c, c.status).all(s, s == 'True')", WARNED],
    ["status.conditions.map(c, c.type == 'Ready', c.status).all(s, s == 'True')", WARNED],
    [`status.conditions.filter(c, c.type == 'Ready').size() > 0 && ${FILTERED}`, []],
    [`size(status.conditions.filter(c, c.type == 'Ready')) == 1 && ${FILTERED}`, []],
    [`status.conditions.exists(c, c.type == 'Ready') && ${FILTERED}`, []],
    ["status.conditions.filter(c, c.type == 'Ready').exists(c, c.status == 'True')", []],
    ["status.conditions.all(c, c.status == 'True')", []],
    ["status.phase == 'Running'", []],
    ['status.conditions.filter(', []],
  ])('%s', (current, expected) => {
    const healthCheckExprs = [{ apiVersion: 'example.org/v1', kind: 'Part', current }];
    expect(alarms(findingsOf([componentFacts([], { component: { healthCheckExprs } })]))).toEqual(expected);
  });

  it('that is warned of is true of an object that says nothing', () => {
    const compiled = compileCel(FILTERED);
    if (compiled.kind !== 'compiled') throw new Error(compiled.message);
    expect(evaluate(compiled.program, { status: { conditions: [] } })).toEqual({ kind: 'value', value: true });
  });

  it('of readyWhen is named by its place', () => {
    const readyWhen = [
      { apiVersion: 'example.org/v1', kind: 'Part', name: 'a', status: 'True', expression: 'status.ok == true' },
      { apiVersion: 'example.org/v1', kind: 'Part', name: 'b', status: 'True', expression: FILTERED },
    ];
    const [finding] = findingsOf([componentFacts([], { component: { readyWhen } })]);
    expect(finding?.message).toContain('install.readyWhen[1].expression');
  });
});
