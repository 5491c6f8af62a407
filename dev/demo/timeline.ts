/** One component at one version, by the API server's own timestamps (whole seconds, RFC 3339). */
export interface Moment {
  readonly component: string;
  /** When the first pod of that version was made. */
  readonly written: string;
  /** When the last of its pods became ready. */
  readonly ready: string;
}

export interface Timeline {
  readonly lines: readonly string[];
  /** Pairs in which the later component made a pod before the earlier one was ready. */
  readonly violations: readonly string[];
}

/** The table that proves the order: each row begins no earlier than the row above was ready. */
export function timelineOf(moments: readonly Moment[]): Timeline {
  const width = Math.max(...moments.map(({ component }) => component.length), 'COMPONENT'.length);
  const head = `${'COMPONENT'.padEnd(width)}  FIRST POD MADE        READY                 TOOK`;
  const rows = moments.map(({ component, written, ready }) => {
    const took = `${String((Date.parse(ready) - Date.parse(written)) / 1000)}s`;
    return `${component.padEnd(width)}  ${written}  ${ready}  ${took}`;
  });
  const violations = moments.slice(1).flatMap((later, index) => {
    const earlier = moments[index];
    if (earlier === undefined || Date.parse(later.written) >= Date.parse(earlier.ready)) return [];
    return [
      `${later.component} made a pod at ${later.written}, before ${earlier.component} was ready at ${earlier.ready}`,
    ];
  });
  return { lines: [head, ...rows], violations };
}
