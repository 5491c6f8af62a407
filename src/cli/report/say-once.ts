/** Shorter texts are quicker to read again than to be looked for. */
const LONG = 60;
const ABOVE = 'as above';

/**
 * Says a long text the first time, and later only that it stands above; so too a cause inside of another text. For one
 * report, asked in the order in which it is read.
 */
export function sayOnce(causes: readonly string[]): (text: string) => string {
  const said: string[] = [];
  const isSaid = (text: string): boolean => text.length > LONG && said.some((one) => one.includes(text));
  const longestFirst = [...new Set(causes)].sort((a, b) => b.length - a.length);
  return (text) => {
    if (isSaid(text)) return ABOVE;
    const known = longestFirst.find((cause) => text.includes(cause) && isSaid(cause));
    said.push(text);
    return known === undefined ? text : text.replace(known, `(${ABOVE})`);
  };
}
