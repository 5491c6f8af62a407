import { beforeEach, describe, expect, it } from 'vitest';
import { aPackage, aRevision } from '../../test/build/objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import { API_VERSION } from '../api/names.ts';
import { Journal } from './journal.ts';

const PACKAGE: KubeObject = {
  apiVersion: API_VERSION,
  kind: 'Package',
  metadata: { name: 'shop', uid: 'uid-shop' },
  spec: {},
};

function revision(number: number, owner = 'uid-shop'): KubeObject {
  const { metadata, ...parts } = aRevision({ number });
  const labels = { 'kubepkg.dev/package': 'shop' };
  const ownerReferences = [{ apiVersion: API_VERSION, kind: 'Package', name: 'shop', uid: owner }];
  return { ...parts, metadata: { ...metadata, labels, ownerReferences } };
}

describe('the journal', () => {
  let cluster: MemoryCluster;
  let journal: Journal;
  let told: string[];

  beforeEach(async () => {
    cluster = new MemoryCluster();
    told = [];
    journal = new Journal(cluster, {
      onPackage: (name) => told.push(`package ${name}`),
      onSource: (name) => told.push(`source ${name}`),
      onRevision: (name) => told.push(`revision of ${name}`),
    });
    await journal.start();
  });

  async function put(...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) cluster.put(object);
    await rest();
  }

  const numbers = (): readonly number[] => journal.revisions(aPackage()).map(({ spec }) => spec.revision);

  it('tells whose turn a change is', async () => {
    await put(PACKAGE, { ...PACKAGE, kind: 'PackageSource' }, revision(1));
    expect(told).toEqual(['package shop', 'source shop', 'revision of shop']);
  });

  it('gives the revisions of a package by number, not by name', async () => {
    await put(revision(10), revision(9), revision(1));
    expect(numbers()).toEqual([1, 9, 10]);
  });

  it('I5 does not take for its own what a former package of the same name left behind', async () => {
    await put(revision(1, 'uid-of-a-former-life'), revision(2));
    expect(numbers()).toEqual([2]);
  });

  it('fails on a revision that it cannot read: what was begun there is not known', async () => {
    await put({ ...revision(1), spec: { package: 'shop' } });
    expect(() => numbers()).toThrow(expect.objectContaining({ name: 'KubepkgError' }));
  });

  it('tells what cannot be read from what is not there', async () => {
    await put({ ...PACKAGE, spec: { upgrade: { timeout: 'soon' } } });
    expect(journal.package('shop')).toMatchObject({ ok: false });
    expect(journal.package('absent')).toBeUndefined();
    expect(journal.source('absent')).toBeUndefined();
  });

  it('parses an object once, and anew when it changes', async () => {
    await put(PACKAGE);
    const first = journal.package('shop');
    expect(journal.package('shop')).toBe(first);
    await put({ ...PACKAGE, spec: { variant: 'large' } });
    expect(journal.package('shop')).toMatchObject({ ok: true, value: { spec: { variant: 'large' } } });
  });

  it('leaves out sources that it cannot read', async () => {
    const source = { ...PACKAGE, kind: 'PackageSource' };
    await put(source, { ...source, metadata: { name: 'broken' }, spec: { variants: 1 } });
    expect(journal.sources().map(({ metadata }) => metadata.name)).toEqual(['shop']);
    expect([journal.sourceGeneration('shop'), journal.sourceGeneration('absent')]).toEqual([1, undefined]);
  });

  it('R1 knows at once what it wrote, and builds the next write on it', async () => {
    await put(PACKAGE);
    cluster.hold();
    const read = journal.rawPackage('shop');
    if (read === undefined) throw new Error('it is not there');
    await journal.writeStatus(read, { version: '1' });
    const own = journal.rawPackage('shop');
    expect(own?.['status']).toEqual({ version: '1' });
    await journal.writeStatus(own ?? read, { version: '2' });
    await expect(journal.writeStatus(read, { version: '3' })).rejects.toMatchObject({ code: 'ApiConflict' });
  });

  it('does not take for alive what it has deleted, though the answer still shows it', async () => {
    const { metadata, ...parts } = revision(1);
    await put({ ...parts, metadata: { ...metadata, finalizers: [] } });
    await journal.write({ verb: 'delete', ref: { apiVersion: API_VERSION, kind: 'PackageRevision', name: 'shop-1' } });
    await rest();
    expect(numbers()).toEqual([]);
  });

  it('watches nothing after it was stopped', () => {
    journal.stop();
    expect(cluster.watched()).toEqual([]);
  });

  it('P22 knows of a write whose answer was lost, before the watch tells it', async () => {
    await put(PACKAGE, revision(1));
    cluster.hold();
    cluster.after = () => {
      throw new KubepkgError('ApiTimeout', 'no answer in time');
    };
    const raw = journal.rawRevision('shop-1');
    if (raw === undefined) throw new Error('there is no revision');
    await expect(journal.writeStatus(raw, { phase: 'Failed' })).rejects.toMatchObject({ code: 'ApiTimeout' });
    cluster.after = () => undefined;
    expect(journal.revisions(aPackage())[0]?.status?.phase).not.toBe('Failed');
    told.length = 0;
    await journal.settleDoubts();
    expect(told, 'the watch does not repeat it to those who wait for it').toEqual(['revision of shop']);
    expect(journal.revisions(aPackage())[0]?.status?.phase).toBe('Failed');
    const { length } = cluster.requests;
    await journal.settleDoubts();
    expect(cluster.requests.length, 'asked once').toBe(length);
  });
});
