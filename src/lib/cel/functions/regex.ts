import { RE2JS, RE2JSSyntaxException } from 're2js';
import { type Fault, fault, type Meter, OUT_OF_BUDGET, type Result } from '../faults.ts';

/** Whether a pattern of RE2 is anywhere in the text. Its time grows with the product of both sizes, never faster. */
export function matchText(text: string, pattern: string, meter: Meter): Result {
  const compiled = compilePattern(text, pattern, meter);
  return 'kind' in compiled ? compiled : compiled.matcher(text).find();
}

/** What matches, from left to right, none over another; at most so many, or all where that is negative. */
export function findTexts(
  text: string,
  pattern: string,
  [most, meter]: readonly [bigint, Meter],
): readonly string[] | Fault {
  const compiled = compilePattern(text, pattern, meter);
  if ('kind' in compiled) return compiled;
  const matcher = compiled.matcher(text);
  const found: string[] = [];
  let end = -1;
  while ((most < 0n || found.length < most) && matcher.find()) {
    // Go does not count nothing right after something.
    if (matcher.start() === matcher.end() && matcher.start() === end) continue;
    end = matcher.end();
    found.push(text.slice(matcher.start(), end));
    meter.spend(1 + statesOf(pattern) / 16);
    if (meter.isEmpty()) return OUT_OF_BUDGET;
  }
  return found;
}

function compilePattern(text: string, pattern: string, meter: Meter): RE2JS | Fault {
  const states = statesOf(pattern);
  meter.spend(states * 2 + (states * text.length) / 16);
  if (meter.isEmpty()) return OUT_OF_BUDGET;
  try {
    return RE2JS.compile(pattern);
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
