import { describe, expect, it } from 'vitest';
import { aRevision } from '../../../test/build/objects.ts';
import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { journalAnnouncements } from './journal-announcements.ts';

const app = (parts: Partial<ComponentProgress> = {}): ComponentProgress => ({ name: 'app', ...parts });
const SUBMITTED = app({ state: 'Submitted', attempt: 1 });
const READY = app({ state: 'Ready', attempt: 1 });
const FAILED = app({ state: 'Failed', attempt: 1, message: 'it crashes' });

function revision(status?: PackageRevisionStatus, spec: Partial<PackageRevision['spec']> = {}): PackageRevision {
  const made = aRevision({ number: 2, version: '2.0.0', ...(status === undefined ? {} : { status }) });
  return { ...made, spec: { ...made.spec, ...spec } };
}

function told(before: readonly PackageRevision[], after: readonly PackageRevision[]): readonly string[] {
  return journalAnnouncements(before, after).map(({ type, reason }) => `${type} ${reason}`);
}

function step(
  part: 'components' | 'hooks' | 'removals',
  from: ComponentProgress,
  to: ComponentProgress,
): readonly string[] {
  return told([revision({ [part]: [from] })], [revision({ [part]: [to] })]);
}

describe('a journal tells of', () => {
  it.each<[string, Partial<PackageRevision['spec']>, string, string]>([
    ['a first revision', {}, 'RevisionCreated', 'revision 2 (2.0.0) was made'],
    ['an upgrade', { fromVersion: '1.0.0' }, 'RevisionCreated', 'revision 2 (2.0.0) was made, from version 1.0.0'],
    ['a values change', { fromVersion: '2.0.0' }, 'RevisionCreated', 'revision 2 (2.0.0) was made'],
    ['a rollback', { restoredFrom: 1 }, 'RollbackStarted', 'revision 2 restores revision 1 (2.0.0)'],
  ])('%s', (_say, spec, reason, message) => {
    expect(journalAnnouncements([], [revision(undefined, spec)])).toEqual([{ type: 'Normal', reason, message }]);
  });

  it.each<[string, ComponentProgress, ComponentProgress, readonly string[]]>([
    ['a submission', app(), SUBMITTED, ['Normal ComponentSubmitted']],
    ['another attempt', SUBMITTED, { ...SUBMITTED, attempt: 2 }, ['Normal ComponentRetried']],
    ['readiness', SUBMITTED, READY, ['Normal ComponentReady']],
    ['failure', SUBMITTED, FAILED, ['Warning ComponentFailed']],
    ['a component that degrades before the next one starts', READY, SUBMITTED, ['Warning ComponentNotReady']],
    ['nothing for a component that was right and ready', app(), app({ state: 'Ready', attempt: 0 }), []],
    [
      'the readiness of one that was right and had to be awaited',
      app({ state: 'Submitted', attempt: 0 }),
      app({ state: 'Ready', attempt: 0 }),
      ['Normal ComponentReady'],
    ],
    ['nothing for what is awaited', SUBMITTED, { ...SUBMITTED, message: '1 of 3 replicas' }, []],
    [
      'a component that never was submitted and fails',
      app(),
      FAILED,
      ['Normal ComponentSubmitted', 'Warning ComponentFailed'],
    ],
  ])('%s', (_say, from, to, expected) => {
    expect(step('components', from, to)).toEqual(expected);
  });

  it.each<[string, ComponentProgress, ComponentProgress, readonly string[]]>([
    ['the start of a hook', app(), SUBMITTED, ['Normal HookStarted']],
    ['its end', SUBMITTED, READY, ['Normal HookFinished']],
    ['its failure', SUBMITTED, FAILED, ['Warning HookFailed']],
  ])('P13 %s', (_say, from, to, expected) => {
    expect(step('hooks', from, to)).toEqual(expected);
  });

  it.each<[string, ComponentProgress, ComponentProgress, readonly string[]]>([
    ['nothing when a removal begins', app(), app({ state: 'Submitted' }), []],
    ['what is gone', app({ state: 'Submitted' }), app({ state: 'Ready' }), ['Normal ComponentRemoved']],
  ])('P10 %s', (_say, from, to, expected) => {
    expect(step('removals', from, to)).toEqual(expected);
  });

  it.each<[string, PackageRevisionStatus, Partial<PackageRevision['spec']>, string]>([
    ['an applied revision', { phase: 'Applied' }, {}, 'Normal RevisionApplied'],
    ['a rollback that is done', { phase: 'Applied' }, { restoredFrom: 1 }, 'Normal RollbackFinished'],
    [
      'a failure',
      { phase: 'Failed', failure: { code: 'ComponentFailed', message: 'm' } },
      {},
      'Warning RevisionFailed',
    ],
    [
      'an interruption',
      { phase: 'Failed', failure: { code: 'Interrupted', message: 'm' } },
      {},
      'Normal RevisionInterrupted',
    ],
    ['a rollback that cannot be completed', { phase: 'Failed' }, { restoredFrom: 1 }, 'Warning RollbackNotCompleted'],
  ])('%s', (_say, status, spec, expected) => {
    expect(told([revision({ phase: 'Applying' }, spec)], [revision(status, spec)])).toEqual([expected]);
  });

  it('P10 a failure names its component, its cause and what comes next', () => {
    const failure = { component: 'app', code: 'ComponentFailed', message: 'it crashes' };
    const failed = revision({ phase: 'Failed', failure, rollback: { to: 1, state: 'Owed' } });
    expect(journalAnnouncements([revision()], [failed])[0]?.message).toBe(
      'revision 2 (2.0.0): component app: it crashes; revision 1 is going to be restored',
    );
  });

  it('everything that one write records, in order, with the place of each component', () => {
    const former = revision({ components: [SUBMITTED, app({ name: 'web' })] });
    const next = revision({ components: [READY, { ...SUBMITTED, name: 'web' }] });
    expect(journalAnnouncements([former], [next]).map(({ message }) => message)).toEqual([
      'revision 2 (2.0.0): component app (1 of 2) is ready',
      'revision 2 (2.0.0): component web (2 of 2) is submitted',
    ]);
  });

  it('nothing of a revision that is retired or pruned, and nothing twice', () => {
    const applied = revision({ phase: 'Applied', components: [READY] });
    expect(told([applied], [revision({ phase: 'Superseded', components: [READY] })])).toEqual([]);
    expect(told([applied], [])).toEqual([]);
    expect(told([applied], [revision({ phase: 'Applied', components: [READY] })])).toEqual([]);
  });

  it('a revision of a package that was made anew under the same name is another one', () => {
    const applied = revision({ phase: 'Applied' });
    const anew = { ...applied, metadata: { ...applied.metadata, uid: 'other' } };
    expect(told([applied], [anew])).toEqual(['Normal RevisionCreated', 'Normal RevisionApplied']);
  });
});
