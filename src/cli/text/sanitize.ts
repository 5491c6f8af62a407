const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text from the cluster without what would move the cursor, change colours or reverse the line. */
export function sanitize(text: string): string {
  return text.replace(CONTROL, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return sanitize(text.replace(/\s*[\r\n]+\s*/g, ' '))
    .replaceAll('\t', ' ')
    .trim();
}
