import { describe, expect, it } from 'vitest';
import { aRevision } from '../../../test/build/objects.ts';
import { aWorld, NOW } from '../../../test/build/world.ts';
import type { ComponentProgress, PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { formatTime } from '../../lib/time.ts';
import { resumeClocks, suspend } from './suspend.ts';

const MINUTE = 60_000;
const at = (minutes: number): string => formatTime(NOW + minutes * MINUTE);
const awaited = (name: string): ComponentProgress => ({ name, state: 'Submitted', attempt: 1, deadline: at(5) });

/** Suspended an hour ago. */
function suspended(status: PackageRevisionStatus = {}): PackageRevision {
  return aRevision({ status: { phase: 'Applying', suspendedAt: at(-60), ...status } });
}

function resumed(revision: PackageRevision): PackageRevisionStatus | undefined {
  const decision = resumeClocks(aWorld(), revision);
  if (decision?.kind !== 'act' || decision.action.kind !== 'record') return undefined;
  return decision.action.status;
}

describe('P9 a package that is suspended', () => {
  it('notes when, once', () => {
    const running = aRevision({ status: { phase: 'Applying' } });
    expect(suspend(aWorld(), running)).toMatchObject({
      action: { kind: 'record', status: { phase: 'Applying', suspendedAt: formatTime(NOW) } },
    });
    expect(suspend(aWorld(), suspended()).kind).toBe('wait');
    expect(suspend(aWorld(), undefined).kind).toBe('wait');
  });

  it.each(['components', 'hooks', 'removals'] as const)('leaves its %s the time that they had', (part) => {
    const status = resumed(suspended({ [part]: [awaited('app')] }));
    expect(status).toEqual({ phase: 'Applying', [part]: [{ ...awaited('app'), deadline: at(65) }] });
  });

  it('changes nothing of what was over', () => {
    const done: ComponentProgress = { name: 'app', state: 'Ready', attempt: 1, deadline: at(-90) };
    expect(resumed(suspended({ components: [done] }))?.components).toEqual([done]);
  });

  it('has nothing to resume when it was not', () => {
    expect(resumeClocks(aWorld(), aRevision({ status: { phase: 'Applying' } }))).toBeUndefined();
  });
});
