import { describe, expect, it } from 'vitest';
import { timelineOf } from './timeline.ts';

const at = (second: number): string => new Date(second * 1000).toISOString().replace('.000Z', 'Z');

describe('the timeline of the demo', () => {
  it('has no violation when each begins after the one before it is ready', () => {
    const moments = [
      { component: 'a', written: at(1), ready: at(3) },
      { component: 'b', written: at(3), ready: at(4) },
    ];
    expect(timelineOf(moments).violations).toEqual([]);
    expect(timelineOf(moments).lines[1]).toContain('2s');
  });

  it('names the pair that is out of order', () => {
    const moments = [
      { component: 'a', written: at(1), ready: at(3) },
      { component: 'b', written: at(2), ready: at(4) },
    ];
    expect(timelineOf(moments).violations).toHaveLength(1);
  });
});
