import { describe, expect, it } from 'vitest';
import { resolveReadinessOptions } from './options.ts';

const DEFAULTS = { loadBalancer: 'ClusterIP', notReadyNodes: 'Wait', jobs: 'Complete' };
const OTHERS = { loadBalancer: 'Address', notReadyNodes: 'Tolerate', jobs: 'Started' } as const;

describe('the readiness switches of a component', () => {
  it.each([
    ['not given', {}, false, DEFAULTS],
    ['given as undefined', { jobs: undefined }, false, DEFAULTS],
    ['all given', OTHERS, false, OTHERS],
    ['R1 P13 of a hook, whose Jobs always have to complete', OTHERS, true, { ...OTHERS, jobs: 'Complete' }],
  ])('%s', (_case, switches, isHook, expected) => {
    expect(resolveReadinessOptions(switches, { isHook })).toEqual(expected);
  });
});
