import { copyFile, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { BuildPlace } from './build-go.ts';
import { mustRunGo } from './build-go.ts';
import type { CrdGroup, ModuleFiles } from './pins.ts';

/** A folder of CustomResourceDefinitions, from a Go module that ships them or from the types of one that does not. */
export async function makeCrds(group: CrdGroup, folder: string, where: BuildPlace): Promise<void> {
  const target = join(folder, group.parts[0]);
  await mkdir(target, { recursive: true });
  const { from } = group;
  if ('goModule' in from) {
    await copyModuleFiles(from, target, { group, where });
    return;
  }
  const paths = from.packages.map((name) => `paths=${name}`);
  await mustRunGo(['tool', 'controller-gen', 'crd', ...paths, `output:crd:dir=${target}`], group, where);
}

async function copyModuleFiles(
  { goModule, files }: ModuleFiles,
  target: string,
  { group, where }: { readonly group: CrdGroup; readonly where: BuildPlace },
): Promise<void> {
  const answer = await mustRunGo(['mod', 'download', '-json', goModule], group, where);
  const { Dir: source } = JSON.parse(answer) as { readonly Dir: string };
  await Promise.all(files.map((file) => copyFile(join(source, file), join(target, basename(file)))));
}
