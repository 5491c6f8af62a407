/** Shorter texts are quicker to read again than to be looked for. */
const LONG = 60;
const ABOVE = 'as above';

/**
 * Says a long text the first time, and later only that it stands above; so too the longest part of it that was said
 * before. For one report, asked in the order in which it is read.
 */
export function sayOnce(): (text: string) => string {
  const said: string[] = [];
  const isSaid = (text: string): boolean => text.length > LONG && said.some((one) => one.includes(text));
  return (text) => {
    if (isSaid(text)) return ABOVE;
    const known = longestFirst(partsOf(text)).find(isSaid);
    said.push(text);
    return known === undefined ? text : text.replace(known, () => `(${ABOVE})`);
  };
}

/** Sentences are put together of others by these. */
function partsOf(text: string): readonly string[] {
  const starts = [0, ...[...text.matchAll(/[:;] /g)].map(({ index }) => index + 2)];
  const ends = [...[...text.matchAll(/; |, until /g)].map(({ index }) => index), text.length];
  return starts.flatMap((start) => ends.filter((end) => end - start > LONG).map((end) => text.slice(start, end)));
}

function longestFirst(parts: readonly string[]): readonly string[] {
  return [...parts].sort((a, b) => b.length - a.length);
}
