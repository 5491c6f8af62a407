import { readdirSync, readFileSync } from 'node:fs';

/** Command lines of the processes that run a program, among those that were started with a certain folder in their arguments or environment. */
export function runningPrograms(program: string, folder: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const command = readProc(pid, 'cmdline');
    if (!command.includes(program)) return [];
    return command.includes(folder) || readProc(pid, 'environ').includes(folder) ? [command] : [];
  });
}

/** A process may end while it is looked at. */
function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
