import type { KubeObject } from '../../api/kube.ts';
import { asString, at } from '../../lib/json.ts';
import type { CommandTree } from '../commander.ts';
import { withCluster } from '../commands/context.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost, Cluster } from '../host.ts';
import { allMembers } from '../look/package-scope.ts';
import { ownRevisions, PACKAGE_SOURCES, PACKAGES, revisionsOf } from '../objects.ts';
import { oneLine } from '../text/sanitize.ts';
import { within } from '../within.ts';
import { type Candidate, type Completion, completeStatically, readCursor } from './complete.ts';

/** A person waits for the TAB key: what the cluster does not say by then is left out. Fetching credentials takes a second or so. */
const CLUSTER_MS = 3000;

/** cobra's directives, so that its users feel at home: 0 lets the shell complete files, 4 does not. */
const FILES = ':0';
const NO_FILES = ':4';

/** `kubepkg __complete WORD…`: the last word is being written. Never fails, never says anything but candidates. */
export async function runComplete(host: CliHost, program: CommandTree, words: readonly string[]): Promise<ExitCode> {
  const cursor = readCursor(program, words);
  const completion = completeStatically(cursor);
  const { candidates, files, dynamic } = completion;
  const names = dynamic === undefined ? [] : await namesInCluster(host, completion, words);
  const found = names.filter(({ value }) => value.startsWith(cursor.prefix));
  const offered = [...candidates, ...found.map((one) => ({ ...one, value: cursor.before + one.value }))];
  const unused = offered.filter(({ value }) => dynamic === undefined || !words.slice(0, -1).includes(value));
  const lines = unused.map(({ value, description }) =>
    description === undefined ? value : `${value}\t${oneLine(description)}`,
  );
  host.stdout.write([...lines, files ? FILES : NO_FILES].map((line) => `${line}\n`).join(''));
  return EXIT.ok;
}

async function namesInCluster(
  host: CliHost,
  completion: Completion,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  try {
    return await within(host.clock, CLUSTER_MS, listNames(host, completion, words));
  } catch {
    // On a TAB there is no place for an error; the command itself will say it.
    return [];
  }
}

async function listNames(
  host: CliHost,
  { dynamic, package: pkg }: Completion,
  words: readonly string[],
): Promise<readonly Candidate[]> {
  const target = { kubeconfig: flagOf(words, '--kubeconfig'), context: flagOf(words, '--context') };
  return withCluster(host, target, async ({ cluster }) => {
    if (dynamic === 'Component' || dynamic === 'Revision') {
      return pkg === undefined ? [] : namesOfPackage(cluster, pkg, dynamic);
    }
    const { items } = await cluster.list(dynamic === 'Package' ? PACKAGES : PACKAGE_SOURCES);
    if (dynamic === 'Version') return items.flatMap(versionOf);
    return items.map(({ metadata }) => ({ value: metadata.name }));
  });
}

/** `NAME@VERSION` of what can be installed. */
function versionOf(source: KubeObject): readonly Candidate[] {
  const version = asString(at(source, 'spec', 'version'));
  return version === undefined ? [] : [{ value: `${source.metadata.name}@${version}` }];
}

async function namesOfPackage(
  cluster: Cluster,
  pkg: string,
  kind: 'Component' | 'Revision',
): Promise<readonly Candidate[]> {
  const revisions = ownRevisions(undefined, (await cluster.list(revisionsOf([pkg]))).items);
  if (kind === 'Component')
    return revisions
      .slice(-1)
      .flatMap(allMembers)
      .map(({ component: { name } }) => ({ value: name }));
  return revisions.map(({ spec, status }) => ({
    value: String(spec.revision),
    description: [spec.version, status?.phase ?? 'Pending'].join(' ').trim(),
  }));
}

function flagOf(words: readonly string[], flag: string): string | undefined {
  const index = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[index];
  if (word === undefined) return undefined;
  return word === flag ? words[index + 1] : word.slice(flag.length + 1);
}
