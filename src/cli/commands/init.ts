import { type ChartFlags, settingsOf } from '../author/settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { oneLine } from '../text/sanitize.ts';
import { writeLines } from '../write-lines.ts';

export interface InitFlags extends ChartFlags {
  readonly chart?: readonly string[] | undefined;
  readonly manifest?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly force?: boolean | undefined;
}

/** Writes a recipe to start from; prints its file. */
export async function runInit(host: CliHost, directory: string, flags: InitFlags): Promise<ExitCode> {
  const { chart: charts = [], manifest: manifests = [], name, namespace, version, description } = flags;
  const authoring = await host.authoring();
  const words = { directory, charts, manifests, name, namespace, version, description, force: flags.force === true };
  const { file, notes } = await authoring.start(words, settingsOf(flags));
  host.stdout.write(`${file}\n`);
  writeLines(host.stderr, [
    ...notes.map((note) => `note: ${oneLine(note)}`),
    'it is a start: read it, say when components are ready (readyWhen), and pin the images',
    `next: kubepkg validate ${directory}`,
  ]);
  return EXIT.ok;
}
