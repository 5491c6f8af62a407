import { describe, expect, it } from 'vitest';
import { aDeployment } from '../../../test/build/embedded-workloads.ts';
import { embeddedScene } from '../../../test/fakes/embedded-scene.ts';
import { parseScenario, watchRules } from './index.ts';

const TEXT = `apiVersion: rehearse.kubepkg.dev/v1
kind: Scenario
metadata: {name: a}
crds: [{name: sites.example.org, kind: Site}]
workloads:
  - {match: {name: wbe}, behaviour: crash}
  - {match: {name: "web*"}, readyAfter: 2s}
  - {match: {name: web}, behaviour: crash}
jobs: [{match: {name: migrate}, failures: 1}]
claims: [{match: {name: other}, boundAfter: never}, {match: {name: data}, boundAfter: 1s}]
customResources:
  - {match: {apiVersion: example.org/v1, kind: Site, name: home}}
  - {match: {apiVersion: example.org/v1, kind: Site, name: away}}
webhooks:
  - {match: {kind: Secret}, refuse: "no"}
  - {match: {kind: ConfigMap, name: refused}, refuse: "no"}
`;

describe('the rules of a scenario', () => {
  it('that nothing goes by are named, those behind another one of the same objects as well', async () => {
    const { scenario, unused } = watchRules(parseScenario(TEXT, 'a.yaml'));
    const scene = embeddedScene(scenario);
    await scene.clock.advance(100);
    const metadata = (name: string): object => ({ name, namespace: 'default' });
    scene.put(aDeployment());
    scene.put({ apiVersion: 'example.org/v1', kind: 'Site', metadata: metadata('home') });
    const resources = { requests: { storage: '1Gi' } };
    const claim = { accessModes: ['ReadWriteOnce'], resources };
    scene.put({ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: metadata('data'), spec: claim });
    expect(() => scene.put({ apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('refused') })).toThrow('no');
    await scene.clock.advance(5000);
    expect(unused()).toEqual([
      'workloads[0]',
      'workloads[2]',
      'jobs[0]',
      'claims[0]',
      'customResources[1]',
      'webhooks[0]',
    ]);
    scene.controllers.stop();
  });

  it('that come behind failures of a rehearsal are the same rules', () => {
    const { scenario, unused } = watchRules(parseScenario(TEXT, 'a.yaml'));
    const { workloads, jobs } = scenario;
    const staged = { ...scenario, workloads: [{ match: {} }, ...workloads], jobs: [...jobs] };
    const [, first] = staged.workloads;
    if (first !== undefined) staged.onUsed?.(first);
    expect(unused()).not.toContain('workloads[0]');
  });
});
