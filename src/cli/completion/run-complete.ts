import type { CommandTree } from '../commander.ts';
import { withCluster } from '../commands/context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES } from '../objects.ts';
import { oneLine } from '../text/sanitize.ts';
import { within } from '../within.ts';
import { type Candidate, completeStatically, type DynamicKind, readCursor } from './complete.ts';

/** A person waits for the TAB key: what the cluster does not say by then is left out. */
const CLUSTER_MS = 1000;

/** cobra's directives, so that its users feel at home: 0 lets the shell complete files, 4 does not. */
const FILES = ':0';
const NO_FILES = ':4';

/** `kubepkg __complete WORD…`: the last word is being written. Never fails, never says anything but candidates. */
export async function runComplete(host: CliHost, program: CommandTree, words: readonly string[]): Promise<ExitCode> {
  const cursor = readCursor(program, words);
  const { candidates, files, dynamic } = completeStatically(cursor);
  const names = dynamic === undefined ? [] : await namesInCluster(host, dynamic, words);
  const offered = [...candidates, ...names.filter(({ value }) => value.startsWith(cursor.prefix))];
  const unused = offered.filter(({ value }) => dynamic === undefined || !words.slice(0, -1).includes(value));
  const lines = unused.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${oneLine(description)}`,
  );
  host.stdout.write([...lines, files ? FILES : NO_FILES].map((line) => `${line}\n`).join(''));
  return EXIT.ok;
}

async function namesInCluster(
  host: CliHost,
  kind: DynamicKind,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  try {
    return await within(host.clock, CLUSTER_MS, listNames(host, kind, words));
  } catch {
    // On a TAB there is no place for an error; the command itself will say it.
    return [];
  }
}

async function listNames(host: CliHost, kind: DynamicKind, words: readonly string[]): Promise<readonly Candidate[]> {
  const target = { kubeconfig: flagOf(words, '--kubeconfig'), context: flagOf(words, '--context') };
  return withCluster(host, target, async ({ cluster }) => {
    const { items } = await cluster.list(kind === 'Package' ? PACKAGES : PACKAGE_SOURCES);
    return items.map(({ metadata }) => ({ value: metadata.name }));
  });
}

function flagOf(words: readonly string[], flag: string): string | undefined {
  const index = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[index];
  if (word === undefined) return undefined;
  return word === flag ? words[index + 1] : word.slice(flag.length + 1);
}
