/** One component at one version, as the API server told of its pods. */
export interface Moment {
  readonly component: string;
  /** When the first pod of that version was made (whole seconds, RFC 3339), and the API server's number of that change. */
  readonly made: string;
  readonly madeBy: number;
  /** When the last of its pods became ready. */
  readonly ready: string;
  readonly readyBy: number;
}

export interface Timeline {
  readonly lines: readonly string[];
  /** Pairs in which the later component made a pod before the earlier one was ready. */
  readonly violations: readonly string[];
}

/** The table that proves the order: each row begins after the row above was ready. */
export function timelineOf(moments: readonly Moment[]): Timeline {
  const width = Math.max(...moments.map(({ component }) => component.length), 'COMPONENT'.length);
  const head = `${'COMPONENT'.padEnd(width)}  FIRST POD MADE        CHANGE  READY                 CHANGE`;
  const rows = moments.map(({ component, made, madeBy, ready, readyBy }) => {
    const numbers = [madeBy, readyBy].map((number) => String(number).padEnd('CHANGE'.length));
    return `${component.padEnd(width)}  ${made}  ${numbers[0] ?? ''}  ${ready}  ${numbers[1] ?? ''}`.trimEnd();
  });
  const violations = moments.slice(1).flatMap((later, index) => {
    const earlier = moments[index];
    return earlier === undefined ? [] : violationsOf(earlier, later);
  });
  return { lines: [head, ...rows], violations };
}

function violationsOf(earlier: Moment, later: Moment): readonly string[] {
  const inOrder = later.madeBy > earlier.readyBy && Date.parse(later.made) >= Date.parse(earlier.ready);
  if (inOrder) return [];
  return [
    `${later.component} made a pod at ${later.made} (change ${String(later.madeBy)}), ` +
      `before ${earlier.component} was ready at ${earlier.ready} (change ${String(earlier.readyBy)})`,
  ];
}
