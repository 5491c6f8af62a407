import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import { isCode } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { CRD, CrdBook, type CrdFact } from '../../../src/engine/crd-book.ts';
import { type CrdSight, executeOnCrds, viewCrds } from '../../../src/engine/crds.ts';
import { Journal } from '../../../src/engine/journal.ts';
import { ensureNamespace, restoreNamespace } from '../../../src/engine/namespaces.ts';
import { PlatformValues } from '../../../src/engine/platform-values.ts';
import { aPackage } from '../../build/objects.ts';
import { aWorld } from '../../build/world.ts';
import { adminAccess, clientOf } from './clients.ts';

const GROUP = 'surroundings.example.org';
const NOTHING = (): void => undefined;

function definition(plural: string): KubeObject {
  const kind = plural.charAt(0).toUpperCase() + plural.slice(1, -1);
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind, plural, singular: plural.slice(0, -1) },
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  return { ...CRD, metadata: { name: `${plural}.${GROUP}` }, spec };
}

describe('what surrounds releases, on a real API server', () => {
  let cluster: KubeClient;

  beforeAll(() => {
    cluster = clientOf(adminAccess());
  });

  afterAll(() => {
    cluster.close();
  });

  /** Resolves when what is asked of the book holds, whenever it tells of a change. */
  async function bookThat(name: string, holds: (fact: CrdFact | undefined) => boolean): Promise<CrdSight> {
    const journal = new Journal(cluster, { onPackage: NOTHING, onSource: NOTHING, onRevision: NOTHING });
    return new Promise((resolve) => {
      const check = (): void => {
        const known = crds.look('shop', [name]);
        if (known.kind !== 'read' || !holds(known.facts.find((fact) => fact.name === name))) return;
        resolve({ deps: { cluster }, journal, crds });
      };
      const crds = new CrdBook(cluster, check);
      onTestFinished(() => {
        crds.stop();
      });
      check();
    });
  }

  async function create(plural: string): Promise<{ readonly name: string; readonly uid: string }> {
    const { metadata } = await cluster.write({ verb: 'create', object: definition(plural) });
    await isEstablished(metadata.name);
    return { name: metadata.name, uid: metadata.uid ?? '' };
  }

  /** Until then the API server itself writes to a definition, and what is written at the same time is a conflict. */
  async function isEstablished(name: string): Promise<void> {
    await expect
      .poll(async () => (await cluster.read({ ...CRD, name }))?.['status'], { timeout: 20_000 })
      .toMatchObject({
        conditions: expect.arrayContaining([
          expect.objectContaining({ type: 'Established', status: 'True' }),
        ]) as unknown,
      });
  }

  const annotationsOf = async (name: string): Promise<unknown> =>
    (await cluster.read({ ...CRD, name }, { metadataOnly: true }))?.metadata.annotations;

  it('P20 P21 a CRD is claimed, left to a rival, released, and deleted with what holds it named', async () => {
    const crd = await create('anvils');
    const sight = await bookThat(crd.name, (fact) => fact !== undefined);
    await executeOnCrds(sight, 'shop', { kind: 'claim-crds', crds: [crd], keep: true });
    const owned = { 'kubepkg.dev/owned-by': 'shop', 'helm.sh/resource-policy': 'keep' };
    expect(await annotationsOf(crd.name)).toEqual(owned);
    await executeOnCrds(sight, 'rival', { kind: 'claim-crds', crds: [crd], keep: true });
    await executeOnCrds(sight, 'rival', { kind: 'release-crds', crds: [crd] });
    await executeOnCrds(sight, 'rival', { kind: 'delete-crd', crd });
    expect(await annotationsOf(crd.name)).toEqual(owned);

    const instance = { apiVersion: `${GROUP}/v1`, kind: 'Anvil', name: 'a', namespace: 'default' };
    const metadata = { name: 'a', namespace: 'default', finalizers: [`${GROUP}/hold`] };
    const { apiVersion, kind } = instance;
    await expect.poll(() => cluster.served(apiVersion, kind), { timeout: 20_000 }).toBeDefined();
    await expect.poll(() => isMade({ apiVersion, kind, metadata }), { timeout: 20_000 }).toBe(true);
    await executeOnCrds(sight, 'shop', { kind: 'delete-crd', crd });
    const pkg = aPackage({ crdPolicy: 'Delete' }, { deletionTimestamp: '2030-01-01T00:00:00Z' });
    const held = await bookThat(crd.name, (fact) => fact?.isDeleting === true);
    expect(await viewCrds(held, aWorld({ package: pkg }))).toMatchObject({
      kind: 'read',
      // Other tests have packages of that name on the same server.
      crds: expect.arrayContaining([
        expect.objectContaining({
          name: crd.name,
          owner: 'shop',
          heldBy: `Anvil default/a has finalizers ${GROUP}/hold`,
        }),
      ]) as unknown,
    });
    await cluster.write({ verb: 'merge-patch', ref: instance, patch: { metadata: { finalizers: null } } });
    await bookThat(crd.name, (fact) => fact === undefined);
  });

  /** What is Established is served a moment later. */
  async function isMade(object: KubeObject): Promise<boolean> {
    try {
      await cluster.write({ verb: 'create', object });
      return true;
    } catch (error) {
      if (isCode(error, 'ApiNotFound', 'KindNotServed')) return false;
      throw error;
    }
  }

  it('P22 a claim that was made is not made again', async () => {
    const crd = await create('bolts');
    const sight = await bookThat(crd.name, (fact) => fact !== undefined);
    const claim = { kind: 'claim-crds', crds: [crd], keep: true } as const;
    await executeOnCrds(sight, 'shop', claim);
    const version = (await cluster.read({ ...CRD, name: crd.name }))?.metadata.resourceVersion;
    await executeOnCrds(sight, 'shop', claim);
    expect((await cluster.read({ ...CRD, name: crd.name }))?.metadata.resourceVersion).toBe(version);
  });

  it('a namespace gets the privileged level, and back what it had', async () => {
    const name = 'surroundings';
    const level = 'pod-security.kubernetes.io/enforce';
    const labels = { [level]: 'baseline' };
    await cluster.write({
      verb: 'create',
      object: { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } },
    });
    await ensureNamespace(cluster, name, { privileged: true, labels: { team: 'a' } });
    const journal = new Journal(cluster, { onPackage: NOTHING, onSource: NOTHING, onRevision: NOTHING });
    const read = async (): Promise<KubeObject['metadata'] | undefined> =>
      (await cluster.read({ apiVersion: 'v1', kind: 'Namespace', name }))?.metadata;
    expect((await read())?.labels).toMatchObject({ [level]: 'privileged', team: 'a' });
    await restoreNamespace({ journal, settledNamespaces: new Set(), deps: { cluster } }, aWorld(), name);
    expect(await read()).toMatchObject({ labels: { [level]: 'baseline', team: 'a' } });
    expect((await read())?.annotations?.['kubepkg.dev/pod-security']).toBeUndefined();
  });

  it("the Secret with the platform's values is followed", async () => {
    const secret = { namespace: 'default', name: 'platform' };
    const parts = { apiVersion: 'v1', kind: 'Secret', metadata: secret };
    const encode = (text: string): object => ({ 'values.yaml': Buffer.from(text).toString('base64') });
    let changed = NOTHING;
    const platform = new PlatformValues(secret, () => {
      changed();
    });
    onTestFinished(() => {
      platform.stop();
    });
    await platform.start(cluster);
    expect(platform.view().kind).toBe('missing');
    const seen = new Promise<void>((resolve) => {
      changed = resolve;
    });
    await cluster.write({ verb: 'create', object: { ...parts, data: encode('a: 1\n') } });
    await seen;
    expect(platform.view()).toEqual({ kind: 'known', values: { a: 1 } });
  });
});
