import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve, sep } from 'node:path';

/** Absolute path of a program: a name is looked for in `path`, anything with a separator is taken as a file. */
export async function findProgram(file: string, path: string, cwd = '.'): Promise<string | undefined> {
  if (isAbsolute(file) || file.includes(sep)) {
    const candidate = resolve(cwd, file);
    return (await isExecutable(candidate)) ? candidate : undefined;
  }
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, file);
    if (isAbsolute(folder) && (await isExecutable(candidate))) return candidate;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
