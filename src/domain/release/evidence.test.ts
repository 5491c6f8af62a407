import { describe, expect, it } from 'vitest';
import { evidenceSecretName, withEvidence } from './evidence.ts';

const LOGS = { namespace: 'kubepkg-system', name: 'kubepkg-evidence-shop-2' };
const WHERE = 'the last log lines are in Secret kubepkg-system/kubepkg-evidence-shop-2';

describe('the evidence of a failed revision', () => {
  it('is kept in a Secret of its own name', () => {
    expect(evidenceSecretName('shop-2')).toBe(LOGS.name);
  });

  it.each([
    ['its message says where the log lines are', { message: 'component app failed' }, `component app failed; ${WHERE}`],
    ['else the cause does', { failure: { code: 'ComponentFailed', message: 'it failed' } }, `it failed; ${WHERE}`],
    ['or that alone', {}, WHERE],
  ])('%s', (_say, status, message) => {
    const evidence = { component: 'app', findings: ['x'], logs: LOGS };
    expect(withEvidence({ ...status, phase: 'Failed' }, evidence)).toEqual({
      ...status,
      phase: 'Failed',
      evidence,
      message,
    });
  });

  it('leaves the message as it is where no log was kept', () => {
    const evidence = { component: 'app', findings: [] };
    expect(withEvidence({ message: 'm' }, evidence)).toEqual({ message: 'm', evidence });
  });
});
