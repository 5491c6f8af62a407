const MAX_LENGTH = 300;

/**
 * A text of another program, fit for a status: one line, cut, and without the parts that differ from one try to the
 * next (generated pod names, source ports), which would make every try a new message.
 */
export function tidy(text: string): string {
  const line = text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(?:Error creating: )?pods "[^"]*" is forbidden: /, '')
    .replace(/(\d|\]):\d+->/g, '$1->');
  return line.length <= MAX_LENGTH ? line : `${line.slice(0, MAX_LENGTH - 1)}…`;
}
