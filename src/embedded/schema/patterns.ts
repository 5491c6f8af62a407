import { createMeter, isFault } from '../../lib/cel/faults.ts';
import { matchText } from '../../lib/cel/functions/regex.ts';

/** Enough for any pattern of a definition and a value as large as an object may be. */
const BUDGET = 10_000_000;

/** Whether a pattern of RE2 is anywhere in a text; what costs too much is let through. */
export function matchesPattern(text: string, pattern: string): boolean {
  const found = matchText(text, pattern, createMeter(BUDGET));
  return isFault(found) || found === true;
}

/** Why a text is no pattern, in the words of Go; undefined when it is one. */
export function patternMistake(pattern: string): string | undefined {
  const found = matchText('', pattern, createMeter(BUDGET));
  // The library says it, and so does what wraps it.
  return isFault(found) && found.reason === 'error'
    ? found.message.replace(/^(error parsing regexp: )\1/, '$1')
    : undefined;
}
