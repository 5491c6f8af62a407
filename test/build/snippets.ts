import { readdirSync, readFileSync } from 'node:fs';

/** A block of code of a page. */
export interface Snippet {
  readonly page: string;
  /** Of its first line. */
  readonly line: number;
  readonly kind: 'yaml' | 'shell' | 'output';
  readonly text: string;
}

/** One program with its words, as a shell would call it. */
export interface ShellCommand {
  readonly words: readonly string[];
  readonly place: string;
}

/** Pages that people copy from. */
export const GUIDES: readonly string[] = [
  'README.md',
  ...readdirSync('docs/guides')
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/guides/${name}`),
];

const PROGRAMS = /^(?:[A-Z]+=\S+ )*(?:kubepkg|kubectl|make|helm|source)\b/;
const FENCE = /^```(.*)$/;
const INDENT = '    ';

export function snippetsOf(page: string): readonly Snippet[] {
  const lines = readFileSync(page, 'utf8').split('\n');
  const found: Snippet[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const block = blockAt(lines, at);
    if (block === undefined) continue;
    found.push({ page, line: block.first + 1, kind: kindOf(block), text: block.lines.join('\n') });
    at = block.end;
  }
  return found;
}

interface Block {
  readonly first: number;
  /** The last line that belongs to it. */
  readonly end: number;
  readonly language: string;
  readonly lines: readonly string[];
}

function blockAt(lines: readonly string[], at: number): Block | undefined {
  const fence = FENCE.exec(lines[at] ?? '');
  if (fence !== null) {
    const end = lines.findIndex((line, index) => index > at && FENCE.test(line));
    return { first: at + 1, end, language: fence[1] ?? '', lines: lines.slice(at + 1, end) };
  }
  if (!isIndented(lines[at]) || (lines[at - 1] ?? '').trim() !== '') return undefined;
  const after = lines.findIndex((line, index) => index > at && line !== '' && !isIndented(line));
  const last = lines.slice(0, after < 0 ? lines.length : after).findLastIndex((line) => line !== '');
  const inside = lines.slice(at, last + 1).map((line) => line.slice(INDENT.length));
  return { first: at, end: last, language: '', lines: inside };
}

function isIndented(line: string | undefined): boolean {
  return line?.startsWith(INDENT) === true && line.trim() !== '';
}

function kindOf({ language, lines }: Block): Snippet['kind'] {
  if (language !== '') return language === 'yaml' ? 'yaml' : 'output';
  const first = lines.find((line) => line.trim() !== '') ?? '';
  return PROGRAMS.test(first) ? 'shell' : 'output';
}

/** The programs that a block calls, each pipe taken apart; what stands behind `#` is for the reader, and `>` for the shell. */
export function commandsOf({ page, line, text }: Snippet): readonly ShellCommand[] {
  const joined = text.replaceAll(/\\\n\s*/g, '');
  return joined.split('\n').flatMap((one, index) =>
    pipesOf(
      one
        .replace(/(^|\s)#.*$/, '')
        .replace(/\s>\s*\S+$/, '')
        .replace(/^\$ /, ''),
    ).map((command) => ({
      words: wordsOf(command),
      place: `${page}:${String(line + index)}`,
    })),
  );
}

function pipesOf(line: string): readonly string[] {
  const inside = /^source <\((.*)\)$/.exec(line.trim());
  return (inside?.[1] ?? line)
    .split(/\s\|\s/)
    .map((command) => command.trim())
    .filter((command) => command !== '');
}

/** Quotes are taken off; settings of variables before a program are left out. */
function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, bare]) => single ?? double ?? bare ?? '',
  );
  return words.slice(words.findIndex((word) => !/^[A-Z]+=/.test(word)));
}
