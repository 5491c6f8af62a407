const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface Unit {
  readonly size: number;
  readonly letter: string;
}

const SECONDS: Unit = { size: 1, letter: 's' };
const MINUTES: Unit = { size: MINUTE, letter: 'm' };
const HOURS: Unit = { size: HOUR, letter: 'h' };
const DAYS: Unit = { size: DAY, letter: 'd' };
const YEARS: Unit = { size: YEAR, letter: 'y' };

/** In which unit, and whether what is left over is told, too. */
interface Step {
  readonly unit: Unit;
  readonly rest?: Unit;
}

const STEPS: readonly (Step & { readonly below: number })[] = [
  { below: 2 * MINUTE, unit: SECONDS },
  { below: 10 * MINUTE, unit: MINUTES, rest: SECONDS },
  { below: 3 * HOUR, unit: MINUTES },
  { below: 8 * HOUR, unit: HOURS, rest: MINUTES },
  { below: 2 * DAY, unit: HOURS },
  { below: 8 * DAY, unit: DAYS, rest: HOURS },
  { below: 2 * YEAR, unit: DAYS },
  { below: 8 * YEAR, unit: YEARS, rest: DAYS },
];

/** As Kubernetes prints ages: `45s`, `3m20s`, `5h12m`, `3d4h`, `2y3d`. */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  const { unit, rest }: Step = STEPS.find(({ below }) => seconds < below) ?? { unit: YEARS };
  const count = written(Math.floor(seconds / unit.size), unit);
  const left = rest === undefined ? 0 : Math.floor((seconds % unit.size) / rest.size);
  return rest === undefined || left === 0 ? count : `${count}${written(left, rest)}`;
}

function written(count: number, { letter }: Unit): string {
  return `${String(count)}${letter}`;
}
