import { beforeEach, describe, expect, it } from 'vitest';
import { aComponent, aPackage, aRevision, aSource, type RevisionParts } from '../../test/build/objects.ts';
import { rest } from '../../test/fakes/clock.ts';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { LABEL } from '../api/names.ts';
import type { Package } from '../api/package.ts';
import type { PackageSource } from '../api/package-source.ts';
import { Journal } from './journal.ts';
import { describeProvider, holdsSomething, indexProviders, requiredPackage } from './package-facts.ts';

const AT = '2026-01-01T12:00:00Z';
const APPLIED: RevisionParts = { status: { phase: 'Applied', appliedAt: AT } };
const NOTHING = { onPackage: () => undefined, onSource: () => undefined, onRevision: () => undefined };

describe('how a package stands', () => {
  let cluster: MemoryCluster;
  let journal: Journal;

  beforeEach(async () => {
    cluster = new MemoryCluster();
    journal = new Journal(cluster, NOTHING);
    await journal.start();
  });

  const put = async (
    revisions: readonly RevisionParts[],
    source: Partial<PackageSource['spec']> = {},
    metadata: Partial<Package['metadata']> = {},
  ): Promise<Package> => {
    const pkg = { ...aPackage({}, metadata), status: { conditions: [AVAILABLE] } };
    for (const [index, parts] of revisions.entries()) {
      const { metadata: known, ...revision } = aRevision({ number: index + 1, ...parts });
      const ownerReferences = [{ apiVersion: pkg.apiVersion, kind: 'Package', name: 'shop', uid: 'uid-shop' }];
      cluster.put({ ...revision, metadata: { ...known, labels: { [LABEL.package]: 'shop' }, ownerReferences } });
    }
    cluster.put({ ...aSource([aComponent('app')], source) });
    cluster.put({ ...pkg });
    await rest();
    return pkg;
  };

  describe('that another one requires', () => {
    const OWED: RevisionParts = { version: '2.0.0', status: { phase: 'Failed', rollback: { to: 1, state: 'Owed' } } };

    it.each<[string, readonly RevisionParts[], object]>([
      ['nothing was applied', [], { version: undefined, inProgress: false }],
      ['one revision is applied', [APPLIED], { version: '1.0.0', inProgress: false, available: true, leaving: false }],
      ['the next one is in progress', [APPLIED, { version: '2.0.0' }], { version: '1.0.0', inProgress: true }],
      ['the next one has failed', [APPLIED, { status: { phase: 'Failed' } }], { version: '1.0.0', inProgress: false }],
      ['a rollback is owed', [APPLIED, OWED], { version: '1.0.0', inProgress: true }],
      [
        'what was applied is superseded',
        [{ status: { phase: 'Superseded', appliedAt: AT } }, { version: '2.0.0', ...APPLIED }],
        { version: '2.0.0' },
      ],
    ])('%s', async (_say, revisions, expected) => {
      expect(requiredPackage(journal, await put(revisions))).toMatchObject(expected);
    });

    it('it is leaving', async () => {
      expect(requiredPackage(journal, await put([APPLIED], {}, { deletionTimestamp: AT }))).toMatchObject({
        leaving: true,
      });
    });
  });

  describe('that has something installed', () => {
    it.each<[string, readonly RevisionParts[], boolean]>([
      ['not before it has a revision', [], false],
      ['while one is in progress', [{}], true],
      ['once one was applied', [APPLIED], true],
      [
        'when one failed after it had begun',
        [{ status: { phase: 'Failed', components: [{ name: 'app', attempt: 1 }] } }],
        true,
      ],
      ['when one failed in a hook', [{ status: { phase: 'Failed', hooks: [{ name: 'migrate', attempt: 1 }] } }], true],
      [
        'not when one failed before',
        [{ status: { phase: 'Failed', components: [{ name: 'app', attempt: 0 }] } }],
        false,
      ],
    ])('%s', async (_say, revisions, expected) => {
      expect(holdsSomething(journal, await put(revisions))).toBe(expected);
    });
  });

  describe('that provides a capability', () => {
    it.each<[string, readonly RevisionParts[], Partial<PackageSource['spec']>, string | undefined]>([
      ['as applied', [APPLIED], {}, undefined],
      ['at another version', [APPLIED], { version: '2.0.0' }, 'version 2.0.0, build 0'],
      ['in another build, as far as its revision tells', [APPLIED], { build: 3 }, undefined],
      ['when nothing is applied', [], { version: '2.0.0' }, undefined],
    ])('%s', async (_say, revisions, source, sourceVersion) => {
      await put(revisions, source);
      expect(describeProvider(journal, 'shop').map((each) => each.sourceVersion)).toEqual([sourceVersion]);
    });

    it('at another build than a revision has that knows its build', async () => {
      const { metadata, ...revision } = aRevision({ ...APPLIED });
      await put([APPLIED], { build: 3 });
      const known = journal.rawRevision('shop-1');
      cluster.put({ ...revision, metadata: { ...metadata, ...known?.metadata }, spec: { ...revision.spec, build: 2 } });
      await rest();
      expect(describeProvider(journal, 'shop')[0]?.sourceVersion).toBe('version 1.0.0, build 3');
    });

    it('unversioned, as the Go implementation records it', async () => {
      await put([{ ...APPLIED, version: '' }], { version: '0.0.0-unversioned' });
      expect(describeProvider(journal, 'shop')[0]?.sourceVersion).toBeUndefined();
    });

    it('is found by it, and by its name', async () => {
      await put([APPLIED], { provides: ['storage'] });
      const providers = indexProviders(journal);
      expect([providers('storage'), providers('shop'), providers('mail')]).toEqual([['shop'], ['shop'], []]);
    });

    it('is not found while there is only its source', async () => {
      cluster.put({ ...aSource([aComponent('app')], { provides: ['storage'] }) });
      await rest();
      const providers = indexProviders(journal);
      expect([providers('storage'), providers('shop')]).toEqual([[], []]);
    });
  });
});

const AVAILABLE = { type: 'Available', status: 'True' as const, reason: 'Works', message: '', lastTransitionTime: AT };
