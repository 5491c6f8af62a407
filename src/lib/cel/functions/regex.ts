import { RE2JS, RE2JSSyntaxException } from 're2js';
import { fault, type Meter, OUT_OF_BUDGET, type Result } from '../faults.ts';

/** Whether a pattern of RE2 is anywhere in the text. Its time grows with the product of both sizes, never faster. */
export function matchText(text: string, pattern: string, meter: Meter): Result {
  const states = statesOf(pattern);
  meter.spend(states * 2 + (states * text.length) / 16);
  if (meter.isEmpty()) return OUT_OF_BUDGET;
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return fault(`error parsing regexp: ${error.message}`);
    throw error;
  }
}

/** At most as many as the pattern has when every counted repetition is written out, one inside the other. */
function statesOf(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d{1,6})(?:,(\d{0,6}))?\}/g)];
  const times = counts.reduce((product, [, least, most]) => product * Math.max(1, Number(least), Number(most ?? 0)), 1);
  return pattern.length * times;
}
