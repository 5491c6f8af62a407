import { describe, expect, it } from 'vitest';
import { type Moment, timelineOf } from './timeline.ts';

const at = (second: number): string => new Date(second * 1000).toISOString().replace('.000Z', 'Z');

function moment(component: string, [made, madeBy]: readonly number[], [ready, readyBy]: readonly number[]): Moment {
  return { component, made: at(made ?? 0), madeBy: madeBy ?? 0, ready: at(ready ?? 0), readyBy: readyBy ?? 0 };
}

describe('the timeline of the demo', () => {
  it('has no violation when each begins after the one before it is ready, be it in the same second', () => {
    const timeline = timelineOf([moment('a', [1, 10], [3, 14]), moment('b', [3, 15], [4, 20])]);
    expect(timeline.violations).toEqual([]);
    expect(timeline.lines[1]).toMatch(/^a .* 10 .* 14$/);
  });

  it.for([
    ['by the clock', [2, 15]],
    ['by the count of changes', [3, 13]],
    ['by a change that cannot be both', [3, 14]],
  ] as const)('names the pair that is out of order %s', ([, made]) => {
    const { violations } = timelineOf([moment('a', [1, 10], [3, 14]), moment('b', made, [4, 20])]);
    expect(violations).toEqual([expect.stringMatching(/^b made a pod .* before a was ready/)]);
  });
});
