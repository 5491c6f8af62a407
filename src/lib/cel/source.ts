/**
 * What the parser of the package does not know, rewritten so that every character keeps its place: names in
 * back-quotes, names with a leading dot, optional entries of maps. The marks say where they were.
 */
export interface Source {
  readonly text: string;
  /** Field names by the place of their opening back-quote. */
  readonly quotedNames: ReadonlyMap<number, string>;
  /** Where names stand that had a leading dot. */
  readonly rootedNames: ReadonlySet<number>;
  /** Where keys begin that had a leading `?`. */
  readonly optionalKeys: ReadonlySet<number>;
}

export interface SyntaxProblem {
  readonly kind: 'problem';
  readonly at: number;
  readonly message: string;
}

export function problem(at: number, message: string): SyntaxProblem {
  return { kind: 'problem', at, message };
}

/** Literal texts, comments, and names in back-quotes: the places where other characters mean nothing. */
const OPAQUE = new RegExp(
  [String.raw`[rR]?[bB]?[rR]?(?:"""|''')`, String.raw`[rR]?[bB]?[rR]?["']`, String.raw`//[^\n]*`, '`[^`\\n]*`'].join(
    '|',
  ),
  'g',
);

const QUOTED_NAME = /^`[A-Za-z0-9_.\-/ ]+`$/;

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function readSource(expression: string): Source | SyntaxProblem {
  const pieces = opaquePieces(expression);
  const quoted = pieces.filter((piece) => piece.text.startsWith('`'));
  const plain = blank(expression, pieces);
  const wrong = findWrong(plain, quoted);
  if (wrong !== undefined) return wrong;
  const rooted = marksOf(plain, /(?<![\w)\]}"'?.]\s*)\.(?=\s*[A-Za-z_])/g);
  const optionalKeys = marksOf(plain, /(?<=[{,]\s*)\?/g);
  const rewritten = quoted.reduce(
    (text, { start, end }) => overwrite(text, start, '_'.repeat(end - start)),
    [...rooted, ...optionalKeys].reduce((text, at) => overwrite(text, at, ' '), expression),
  );
  return {
    text: rewritten,
    quotedNames: new Map(quoted.map(({ start, text }) => [start, text.slice(1, -1)])),
    rootedNames: new Set(rooted.map((at) => nextOf(plain, at + 1))),
    optionalKeys: new Set(optionalKeys.map((at) => nextOf(plain, at + 1))),
  };
}

function findWrong(plain: string, quoted: readonly Piece[]): SyntaxProblem | undefined {
  const misplaced = quoted.find((piece) => !QUOTED_NAME.test(piece.text) || !followsDot(plain.slice(0, piece.start)));
  if (misplaced !== undefined)
    return problem(misplaced.start, 'only the name of a field, after a dot, may be in back-quotes');
  const comma = plain.search(/,\s*\)/);
  return comma < 0 ? undefined : problem(comma, 'an argument is missing after the comma');
}

function followsDot(before: string): boolean {
  return before.trimEnd().replace(/\?$/, '').trimEnd().endsWith('.');
}

function opaquePieces(expression: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const opening = new RegExp(OPAQUE);
  for (let match = opening.exec(expression); match !== null; match = opening.exec(expression)) {
    const end = endOf(expression, match);
    pieces.push({ start: match.index, end, text: expression.slice(match.index, end) });
    opening.lastIndex = end;
  }
  return pieces;
}

/** Where a piece ends that begins there; a text without an end, which the parser refuses, takes all the rest. */
function endOf(expression: string, { index, 0: opening }: RegExpExecArray): number {
  const after = index + opening.length;
  if (opening.startsWith('//') || opening.startsWith('`')) return after;
  const quote = /["']+$/.exec(opening)?.[0] ?? '"';
  const isRaw = /[rR]/.test(opening);
  let at = after;
  while (at < expression.length && !expression.startsWith(quote, at)) at += !isRaw && expression[at] === '\\' ? 2 : 1;
  return Math.min(at + quote.length, expression.length);
}

/** Comments become space, everything else that is opaque becomes text without meaning. */
function blank(expression: string, pieces: readonly Piece[]): string {
  return pieces.reduce((text, { start, end, text: piece }) => {
    const filler = piece.startsWith('//') ? ' ' : '"';
    return overwrite(text, start, filler.repeat(end - start));
  }, expression);
}

function overwrite(text: string, at: number, replacement: string): string {
  return text.slice(0, at) + replacement + text.slice(at + replacement.length);
}

function marksOf(plain: string, pattern: RegExp): readonly number[] {
  return [...plain.matchAll(pattern)].map((match) => match.index);
}

function nextOf(plain: string, at: number): number {
  const rest = plain.slice(at).search(/\S/);
  return rest < 0 ? plain.length : at + rest;
}
