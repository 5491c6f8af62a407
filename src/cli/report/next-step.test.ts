import { describe, expect, it } from 'vitest';
import { nextStep } from './next-step.ts';
import type { PackageReport } from './package-report.ts';

const situation = { worker: 'operator', suspended: false } as const;

function reportOf(reason: string): PackageReport {
  return { name: 'shop', version: '1.0.0', state: 'Failed', reason, message: '' };
}

describe('what to do about a package', () => {
  it.each(['UpgradeFailed', 'UpgradeRolledBack'])('after %s is to see why first', (reason) => {
    const hint = nextStep(reportOf(reason), situation);
    expect(hint).toContain('kubepkg status shop, kubepkg logs shop --failed; correct the cause');
    expect(hint).toMatch(/kubepkg retry shop$/);
  });

  it.each(['UpgradeFailed', 'UpgradeRolledBack', 'RollbackFailed', 'Degraded'])(
    'after %s never leads to what is shown already',
    (reason) => {
      expect(nextStep(reportOf(reason), situation)).toContain('kubepkg status shop');
      expect(nextStep(reportOf(reason), { ...situation, shown: true })).not.toContain('kubepkg status');
    },
  );
});
