import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** Command lines of the processes that execute a program and have a certain folder in their arguments or environment. */
export function runningPrograms(program: string, folder: string): readonly string[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      if (readlinkSync(`/proc/${pid}/exe`) !== program) return [];
      const command = readText(pid, 'cmdline');
      return `${command} ${readText(pid, 'environ')}`.includes(folder) ? [command] : [];
    } catch {
      // It ended while it was looked at.
      return [];
    }
  });
}

function readText(pid: string, file: string): string {
  return readFileSync(`/proc/${pid}/${file}`, 'utf8').replaceAll('\0', ' ');
}
