import { describe, expect, it } from 'vitest';
import { noteIn, traceOf } from '../../../test/build/argocd.ts';
import type { KubeObject } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';
import { readApplication, releaseOf } from './application.ts';
import { interpret, REASONS } from './interpret.ts';

/** What a person says who reads the versions one after the other; `failed` with the code that the engine gets. */
const REVIEWED: Readonly<Record<string, readonly string[]>> = {
  values: ['Requested underway', 'Running underway', 'Synced delivered'],
  broken: ['Requested underway', 'Running underway', 'Failed failed ApiInvalid'],
  fixed: ['Requested underway', 'Running underway', 'Synced delivered'],
  oci: ['Requested underway', 'Running underway', 'Synced delivered'],
  nokind: ['Requested underway', 'Running underway', 'Failed failed KindNotServed'],
  immutable: ['Requested underway', 'Running underway', 'Failed failed ImmutableField'],
  gone: ['Requested underway', 'Running underway', 'Failed failed ArtifactNotFound'],
  repodown: ['Requested underway', 'Running underway', 'Failed failed RegistryUnreachable'],
  project: ['Requested underway', 'SpecRefused underway', 'Running underway', 'Failed failed InvalidConfiguration'],
  hookfail: ['Requested underway', 'Running underway', 'Failed failed ComponentFailed'],
  hookstop: ['Requested underway', 'Running underway', 'Failed failed HelmKilled'],
  paused: ['Synced delivered', 'Paused underway', 'Stopped failed HelmKilled'],
  handsync: ['Synced delivered'],
  edit: ['Edited delivered'],
  editsync: ['Edited delivered', 'Displaced delivered'],
  selfheal: ['Synced delivered'],
  remove: ['Synced delivered', 'Deleting draining'],
};

function verdictOn(application: KubeObject): string {
  const facts = readApplication(application);
  const now = facts.instructedAt + 1000;
  const reason = REASONS.find(({ holds }) => holds({ ...facts, now }))?.name ?? 'none';
  const observed = interpret({ ...releaseOf(application), package: 'shop', component: 'web' }, application, now);
  if (observed.state !== 'present') return `${reason} ${observed.state}`;
  const code = observed.failure === undefined ? '' : ` ${observed.failure.code}`;
  return `${reason} ${observed.delivery}${code}`;
}

describe('the versions of an Application, as the real Argo CD writes them', () => {
  it.each(Object.entries(REVIEWED))('R4 %s', (name, verdicts) => {
    const said = traceOf(name).map((application) => verdictOn(application));
    expect(said.filter((verdict, index) => verdict !== said[index - 1])).toEqual(verdicts);
  });

  it('R4 are compared and synced with what was written, byte for byte', () => {
    for (const name of ['values', 'oci', 'fixed']) {
      const last = traceOf(name).at(-1);
      if (last === undefined) throw new Error(name);
      const { compared, wanted, newest } = readApplication(last);
      expect([compared, wanted, newest?.instruction]).toEqual(
        Array.from({ length: 3 }, () => noteIn(last, 'instruction')),
      );
    }
  });

  it('say nothing of a sync in their first version, whatever came before', () => {
    for (const name of ['values', 'fixed', 'hookstop']) {
      expect(at(traceOf(name)[0], 'status', 'operationState')).toBeUndefined();
    }
  });
});
