import { describe, expect, it } from 'vitest';
import { act, type Action } from './decision.ts';

describe('a decision to act', () => {
  it('that is explained as another decision is keeps its own action, with what it records before', () => {
    const target = { package: 'p', component: 'a', releaseName: 'a', namespace: 'n' };
    const bare: Action = { kind: 'uninstall', target, keepData: true };
    const recorded: Action = { ...bare, revision: 'p-3', status: { phase: 'Applying' } };
    const explanation = { reason: 'Progressing', message: 'component a is being removed' } as const;
    expect(act(recorded, act(bare, explanation))).toEqual({ kind: 'act', action: recorded, ...explanation });
  });
});
