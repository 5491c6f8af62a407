import { KubepkgError } from '../../api/errors.ts';
import type { BuiltPackage, RecipeInput } from '../../compose/authoring.ts';
import type { PublishedChart } from '../../domain/resolve/recipe/recipe-source.ts';
import { readRecipe, soundRecipe } from '../author/recipe-file.ts';
import { type RegistryFlags, settingsOf } from '../author/settings.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { writeLines } from '../write-lines.ts';

export interface BuildFlags extends RegistryFlags {
  readonly out: string;
  readonly registry?: string | undefined;
  /** False with `--no-verify`. */
  readonly verify: boolean;
}

/** Makes charts and PackageSource of a recipe; prints the file of the PackageSource. */
export async function runBuild(host: CliHost, directory: string, flags: BuildFlags): Promise<ExitCode> {
  const { out, registry } = flags;
  refuseRegistry(registry);
  const authoring = await host.authoring();
  const input = soundRecipe(await readRecipe(authoring, directory));
  refuseUnverified(input, flags);
  const built = await authoring.build(input, { out, registry }, settingsOf(flags));
  host.stdout.write(`${built.file}\n`);
  writeLines(host.stderr, nextSteps(built));
  return EXIT.ok;
}

function refuseRegistry(registry: string | undefined): void {
  if (registry === undefined || /^oci:\/\/[^/]+\/?/.test(registry)) return;
  throw new KubepkgError('InvalidInput', `--registry ${registry} is no OCI registry`, {
    hint: 'write --registry oci://HOST/PATH',
  });
}

/** Nobody is to take for verified what was not. */
function refuseUnverified({ recipe }: RecipeInput, { verify }: BuildFlags): void {
  if (recipe.spec.verify === undefined || !verify) return;
  throw new KubepkgError('Unsupported', 'spec.verify asks for signatures, which kubepkg does not check', {
    hint: 'check them with cosign and helm, then build with --no-verify; digests and checksums are checked all the same',
  });
}

function nextSteps({ file, source, tree, publication }: BuiltPackage): readonly string[] {
  const next = `next: kubepkg plan ${source.metadata.name} -f ${file}`;
  if (tree === undefined) return [next];
  if (publication.kind === 'charts') return [...[...publication.charts.values()].map(pushedChart), next];
  if (publication.kind === 'tree') return [`pushed ${publication.url}`, next];
  return [
    `${file} cannot be installed yet: its charts are on this disk alone`,
    'next: build again with --registry oci://HOST/PATH, which pushes them and pins them in it',
  ];
}

function pushedChart({ repository, name, version, digest }: PublishedChart): string {
  return `pushed ${repository}/${name} ${version} (${digest})`;
}
