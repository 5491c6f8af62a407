import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../../test/build/embedded-workloads.ts';
import { type EmbeddedScene, embeddedScene } from '../../../../test/fakes/embedded-scene.ts';
import type { JsonMap } from '../../model/object.ts';
import { StatusError } from '../../model/status-error.ts';
import { countAt, mapsAt } from '../kit/read.ts';

const HEAD = 'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: a}\n';
const CRD = `crds: [{name: sites.example.org, kind: Site}]\n`;

function site(spec: JsonMap = {}): JsonMap {
  return { apiVersion: 'example.org/v1', kind: 'Site', metadata: { name: 'home', namespace: 'default' }, spec };
}

/** With the kind served, and a Site in it. */
async function withSite(scenario: string): Promise<EmbeddedScene> {
  const scene = embeddedScene(HEAD + CRD + scenario);
  await scene.clock.advance(100);
  scene.put(site());
  return scene;
}

function told(scene: EmbeddedScene): readonly string[] {
  return mapsAt(scene.get('Site', 'home'), 'status', 'conditions').map(
    ({ type, status }) => `${String(type)}=${String(status)}`,
  );
}

const READY_LATE = `
customResources:
  - match: {apiVersion: example.org/v1, kind: Site}
    observedGeneration: true
    steps:
      - {after: 1s, status: {conditions: [{type: Progressing, status: "True"}]}}
      - {after: 8s, status: {conditions: [{type: Progressing, status: "False"}, {type: Ready, status: "True", reason: Done, message: ok}]}}
`;

describe('a custom resource', () => {
  it('goes through the steps of its script', async () => {
    const scene = await withSite(READY_LATE);
    await scene.clock.advance(500);
    expect(scene.get('Site', 'home').status).toBeUndefined();
    await scene.clock.advance(1000);
    expect(scene.get('Site', 'home').status).toEqual({
      observedGeneration: 1,
      conditions: [{ type: 'Progressing', status: 'True', lastTransitionTime: '2030-01-01T00:00:01Z' }],
    });
    await scene.clock.advance(10_000);
    expect(told(scene)).toEqual(['Progressing=False', 'Ready=True']);
  });

  it('F15 keeps what it said until its operator comes to the new generation, then begins again', async () => {
    const scene = await withSite(READY_LATE);
    await scene.clock.advance(10_000);
    scene.put({ ...scene.get('Site', 'home'), spec: { color: 'red' } });
    await scene.clock.advance(500);
    expect([told(scene), scene.get('Site', 'home').metadata.generation]).toEqual([
      ['Progressing=False', 'Ready=True'],
      2,
    ]);
    expect(countAt(scene.get('Site', 'home'), 'status', 'observedGeneration')).toBe(1);
    await scene.clock.advance(1000);
    expect(told(scene)).toEqual(['Progressing=True']);
    expect(countAt(scene.get('Site', 'home'), 'status', 'observedGeneration')).toBe(2);
    await scene.clock.advance(10_000);
    expect(told(scene)).toEqual(['Progressing=False', 'Ready=True']);
  });

  it.each([
    ['status', { observedGeneration: 1, phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] }],
    ['string', { observedGeneration: '1', phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] }],
    ['condition', { phase: 'Up', conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }],
    ['none', { phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] }],
  ])('F23 tells the generation where its API has it: %s', async (place, expected) => {
    const scene = await withSite(
      `customResources: [{match: {apiVersion: example.org/v1, kind: Site}, observedGeneration: ${place}, steps: [{status: {phase: Up, conditions: [{type: Ready, status: "True"}]}}]}]`,
    );
    await scene.clock.advance(100);
    const { conditions, ...rest } = scene.get('Site', 'home').status as { readonly conditions: readonly JsonMap[] };
    const timeless = conditions.map(({ lastTransitionTime: _time, ...condition }) => condition);
    expect({ ...rest, conditions: timeless }).toEqual(expected);
  });

  it.each([
    ['nothing at all, without steps', 'steps: []', undefined],
    ['a phase alone', 'steps: [{status: {phase: Running}}]', { phase: 'Running' }],
    [
      'a condition without a status',
      'steps: [{status: {conditions: [{type: Ready}]}}]',
      { conditions: [{ type: 'Ready' }] },
    ],
  ])('F13 may say %s', async (_case, steps, expected) => {
    const scene = await withSite(`customResources: [{match: {apiVersion: example.org/v1, kind: Site}, ${steps}}]`);
    await scene.clock.advance(60_000);
    expect(scene.get('Site', 'home').status).toEqual(expected);
  });

  it('flaps', async () => {
    const scene = await withSite(
      `customResources: [{match: {apiVersion: example.org/v1, kind: Site}, steps: [{after: 10s, flap: {every: 5s, times: 3, statuses: [{phase: A}, {phase: B}]}}]}]`,
    );
    const seen: unknown[] = [];
    for (let second = 0; second < 40; second += 5) {
      await scene.clock.advance(5000);
      seen.push((scene.get('Site', 'home').status as JsonMap | undefined)?.phase);
    }
    expect(seen).toEqual([undefined, 'A', 'B', 'A', 'B', 'B', 'B', 'B']);
  });

  const OPERATED = `
customResources:
  - match: {apiVersion: example.org/v1, kind: Site}
    operator: {namespace: default, name: web}
    againOnUpgrade: true
    finalizer: {name: example.org/guard, releasedAfter: 5s}
    steps: [{status: {phase: Starting}}, {after: 10s, status: {phase: Up}}]
`;

  it('F13 has no status while its operator is not there', async () => {
    const scene = await withSite(OPERATED);
    await scene.clock.advance(60_000);
    expect(scene.get('Site', 'home').status).toBeUndefined();
    scene.put(aDeployment());
    await scene.clock.advance(3000);
    expect(scene.get('Site', 'home').status).toEqual({ phase: 'Starting' });
    await scene.clock.advance(10_000);
    expect(scene.get('Site', 'home').status).toEqual({ phase: 'Up' });
  });

  it('begins again when its operator was replaced by a newer one', async () => {
    const scene = await withSite(OPERATED);
    scene.put(aDeployment());
    await scene.clock.advance(20_000);
    scene.put({ ...scene.get('Deployment', 'web'), spec: aDeployment({ image: 'web:2' }).spec });
    await scene.clock.advance(3000);
    expect(scene.get('Site', 'home').status).toEqual({ phase: 'Starting' });
    await scene.clock.advance(10_000);
    expect(scene.get('Site', 'home').status).toEqual({ phase: 'Up' });
  });

  it('F58 that its operator guards is let go by it, and by nobody once the operator is gone', async () => {
    const scene = await withSite(OPERATED);
    scene.put(aDeployment());
    await scene.clock.advance(20_000);
    scene.remove('Site', 'home');
    await scene.clock.advance(4000);
    expect(scene.find('Site', 'home')).toBeDefined();
    await scene.clock.advance(2000);
    expect(scene.find('Site', 'home')).toBeUndefined();
    scene.put(site());
    await scene.clock.advance(1000);
    scene.remove('Deployment', 'web', { propagationPolicy: 'Background' });
    await scene.clock.advance(2000);
    scene.remove('Site', 'home');
    await scene.clock.advance(600_000);
    expect(scene.get('Site', 'home').metadata.finalizers).toEqual(['example.org/guard']);
  });
});

describe('an object that appears by itself', () => {
  it('F25 is a definition that an operator brings a while after it is there', async () => {
    const scene = embeddedScene(
      `${HEAD}crds: [{name: sites.example.org, kind: Site, after: 10s, operator: {namespace: default, name: web}}]`,
    );
    const isServed = (): boolean => scene.api.resources().some(({ kind }) => kind === 'Site');
    await scene.clock.advance(60_000);
    expect(isServed()).toBe(false);
    scene.put(aDeployment());
    await scene.clock.advance(9000);
    expect(isServed()).toBe(false);
    await scene.clock.advance(3000);
    expect(isServed()).toBe(true);
    expect(scene.put(site({ anything: { goes: true } })).spec).toEqual({ anything: { goes: true } });
  });

  it('F10 waits for its namespace', async () => {
    const scene = embeddedScene(
      `${HEAD}objects: [{after: 5s, object: {apiVersion: v1, kind: ConfigMap, metadata: {name: made, namespace: later}}}]`,
    );
    await scene.clock.advance(30_000);
    scene.put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'later' } });
    await scene.clock.advance(2000);
    expect(scene.find('ConfigMap', 'made', 'later')).toBeDefined();
  });
});

describe('a webhook', () => {
  const config = (name: string): JsonMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default' },
  });
  const tryTo = (scene: EmbeddedScene, name: string): string => {
    try {
      scene.put(config(name));
      return 'admitted';
    } catch (error) {
      return error instanceof StatusError ? `${String(error.code)} ${error.message}` : String(error);
    }
  };

  it('refuses for a while from the first request on', async () => {
    const scene = embeddedScene(
      `${HEAD}webhooks: [{name: v.example.org, match: {kind: ConfigMap, name: "a*"}, refuse: "not yet", until: 20s}]`,
    );
    await scene.clock.advance(60_000);
    expect(tryTo(scene, 'b')).toBe('admitted');
    expect(tryTo(scene, 'a')).toBe('403 admission webhook "v.example.org" denied the request: not yet');
    await scene.clock.advance(19_000);
    expect(tryTo(scene, 'a')).toMatch(/^403/);
    await scene.clock.advance(2000);
    expect(tryTo(scene, 'a')).toBe('admitted');
  });

  it.each([
    ['connection-refused', 'dial tcp 10.96.0.9:443: connect: connection refused'],
    ['unknown-authority', 'tls: failed to verify certificate: x509: certificate signed by unknown authority'],
    ['timeout', 'context deadline exceeded'],
  ])('F27 of an operator does not answer until so long after it: %s', async (fails, fault) => {
    const scene = embeddedScene(
      `${HEAD}webhooks: [{name: v.example.org, match: {kind: ConfigMap}, fails: ${fails}, until: 20s, operator: {namespace: default, name: web}}]`,
    );
    expect(tryTo(scene, 'a')).toBe('admitted');
    scene.put(aDeployment());
    await scene.clock.advance(10_000);
    expect(scene.get('Deployment', 'web').status).toMatchObject({ availableReplicas: 1 });
    expect(tryTo(scene, 'b')).toBe(
      `500 Internal error occurred: failed calling webhook "v.example.org": failed to call webhook: Post "https://web.default.svc:443/validate?timeout=10s": ${fault}`,
    );
    await scene.clock.advance(15_000);
    expect(tryTo(scene, 'b')).toBe('admitted');
  });
});
