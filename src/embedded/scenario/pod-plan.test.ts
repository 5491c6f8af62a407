import { describe, expect, it } from 'vitest';
import { parseScenario } from './parse.ts';
import { behaviourAt, nextTurn, planPod, type PodNature } from './pod-plan.ts';

const HEAD = 'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\n';

function nature(over: Partial<PodNature> = {}): PodNature {
  const base = { namespace: 'shop', annotations: {} };
  const chain = [
    { ...base, kind: 'Pod', name: 'app-1-x', labels: { app: 'app' } },
    { ...base, kind: 'ReplicaSet', name: 'app-1', labels: {} },
    {
      ...base,
      kind: 'Deployment',
      name: 'app',
      labels: { 'helm.sh/chart': 'my-app-1.2.0_7', 'app.kubernetes.io/version': '9.0.0' },
      annotations: { 'meta.helm.sh/release-name': 'shop-app' },
    },
  ];
  return { facts: { chain, images: ['app:1'] }, annotations: {}, ends: false, isOfJob: false, ...over };
}

function behaviourOf(rule: string, over: Partial<PodNature> = {}): string {
  const scenario = parseScenario(`${HEAD}workloads: [{match: ${rule}, behaviour: crash}]`, 'a.yaml');
  return planPod(nature(over), scenario).behaviour;
}

describe('a rule', () => {
  it.each([
    ['{}', true],
    ['{kind: Deployment}', true],
    ['{kind: Pod, name: "app-1-?"}', true],
    ['{kind: StatefulSet}', false],
    ['{kind: Deployment, name: "a*"}', true],
    ['{kind: Deployment, name: "*b"}', false],
    ['{kind: ReplicaSet, name: app}', false],
    ['{namespace: shop}', true],
    ['{namespace: "sho"}', false],
    ['{release: shop-app}', true],
    ['{release: app}', false],
    ['{version: ">=1.2.0"}', true],
    ['{version: "<1.2.0"}', false],
    ['{version: ">=9"}', false],
    ['{image: "app:*"}', true],
    ['{image: "db:*"}', false],
  ])('%s matches: %s', (rule, matches) => {
    expect(behaviourOf(rule)).toBe(matches ? 'crash' : 'ready');
  });

  it('goes by the version of the pod template before that of the workload', () => {
    const { facts } = nature();
    const [pod, ...others] = facts.chain;
    if (pod === undefined) throw new Error('no pod');
    const chain = [{ ...pod, labels: { 'helm.sh/chart': 'app-1.0.0' } }, ...others];
    expect(behaviourOf('{version: "1.0.0"}', { facts: { ...facts, chain } })).toBe('crash');
  });

  it('that comes first wins, and annotations win over both', () => {
    const text = `${HEAD}workloads: [{match: {}, readyAfter: 5s}, {match: {}, readyAfter: 9s, behaviour: crash}]`;
    const scenario = parseScenario(text, 'a.yaml');
    expect(planPod(nature(), scenario)).toMatchObject({ behaviour: 'ready', readyAfter: 5000 });
    const annotations = { 'rehearse.kubepkg.dev/ready-after': '1m', 'rehearse.kubepkg.dev/behaviour': 'never-ready' };
    expect(planPod(nature({ annotations }), scenario)).toMatchObject({ behaviour: 'never-ready', readyAfter: 60_000 });
  });

  it('for jobs is for pods of Jobs only, and comes before those for workloads', () => {
    const text = `${HEAD}jobs: [{match: {}, exitCode: 3}]\nworkloads: [{match: {}, behaviour: crash}]`;
    const scenario = parseScenario(text, 'a.yaml');
    expect(planPod(nature(), scenario).behaviour).toBe('crash');
    expect(planPod(nature({ isOfJob: true, ends: true }), scenario)).toMatchObject({ behaviour: 'fail', exitCode: 3 });
  });
});

describe('an annotation', () => {
  it.each([
    [{ 'exit-code': '3' }, { behaviour: 'fail', exitCode: 3 }],
    [
      { 'exit-code': '0', 'run-for': '5s' },
      { behaviour: 'complete', runsFor: 5000 },
    ],
    [{ 'exit-code': 'three' }, { behaviour: 'ready' }],
    [{ behaviour: 'nonsense' }, { behaviour: 'ready' }],
    [{ failures: '2' }, { behaviour: 'fail', failures: 2 }],
    [{ log: 'a\nb' }, { log: ['a', 'b'] }],
    [
      { 'terminate-after': '3s', 'init-for': '4s', message: 'm' },
      { terminatesAfter: 3000, initFor: 4000, message: 'm' },
    ],
  ])('%j', (said, expected) => {
    const annotations = Object.fromEntries(
      Object.entries(said).map(([name, value]) => [`rehearse.kubepkg.dev/${name}`, value]),
    );
    const scenario = parseScenario(HEAD, 'a.yaml');
    expect(planPod(nature({ annotations }), scenario)).toMatchObject(expected);
  });
});

describe('a behaviour with a time', () => {
  const plan = planPod(
    nature(),
    parseScenario(`${HEAD}workloads: [{match: {}, behaviour: crash, after: 10s, until: 20s}]`, 'a.yaml'),
  );

  it.each([
    [0, 'ready', 10_000],
    [9999, 'ready', 1],
    [10_000, 'crash', 10_000],
    [19_999, 'crash', 1],
    [20_000, 'ready', undefined],
  ])('at %d ms', (age, behaviour, turn) => {
    expect([behaviourAt(plan, age), nextTurn(plan, age)]).toEqual([behaviour, turn]);
  });
});
