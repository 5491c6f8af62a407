import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isErrno } from '../../lib/errno.ts';

/** Where a process lives: no two have the same, in one boot of one machine, unless the earlier one is dead. */
interface Place {
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  /** In ticks since the boot, as the kernel counts them: a number of a process is used again. */
  readonly start: string;
}

/** A name of this process, which begins with that of the machine, with what its successor there needs to see that it is dead. */
export function holderIdentity(name: string): string {
  const place = placeOf(process.pid);
  return place === undefined ? name : `${name}_${writePlace(place)}`;
}

/**
 * That the process with the identity is dead for certain: it ran here, and nothing here has its number and its start.
 * False says nothing: it may have run on another machine, in another container, or on a system that does not tell.
 */
export function isKnownDead(identity: string): boolean {
  const holder = readPlace(identity.split('_').at(-1) ?? '');
  const own = placeOf(process.pid);
  // Copies of one virtual machine have the same boot, and seldom the same name.
  if (holder === undefined || own === undefined || !identity.startsWith(`${hostname()}_`)) return false;
  return holder.boot === own.boot && holder.namespace === own.namespace && hasEnded(holder);
}

function hasEnded({ pid, start }: Place): boolean {
  try {
    // Asks only whether it is there: files about the processes of others may be hidden.
    process.kill(pid, 0);
  } catch (error) {
    return isErrno(error, 'ESRCH');
  }
  const successor = startOf(pid);
  return successor !== undefined && successor !== start;
}

/** Undefined also where `/proc` is that of another process namespace, in which our numbers are those of strangers. */
function placeOf(pid: number): Place | undefined {
  if (readText('/proc/self/stat')?.split(' ')[0] !== String(process.pid)) return undefined;
  const boot = readText('/proc/sys/kernel/random/boot_id')?.trim().replaceAll('-', '');
  const namespace = /\[(\d+)\]$/.exec(readLink('/proc/self/ns/pid') ?? '')?.[1];
  const start = startOf(pid);
  if (boot === undefined || namespace === undefined || start === undefined) return undefined;
  return { boot, namespace, pid, start };
}

/** Field 22 of its stat; the second one, its name, may hold spaces and parentheses. */
function startOf(pid: number): string | undefined {
  const stat = readText(`/proc/${String(pid)}/stat`);
  return stat
    ?.slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .at(19);
}

function writePlace({ boot, namespace, pid, start }: Place): string {
  return [boot, namespace, String(pid), start].join('.');
}

function readPlace(text: string): Place | undefined {
  const [, boot, namespace, pid, start] = /^([0-9a-f]{32})\.(\d+)\.(\d+)\.(\d+)$/.exec(text) ?? [];
  if (boot === undefined || namespace === undefined || pid === undefined || start === undefined) return undefined;
  return { boot, namespace, pid: Number(pid), start };
}

/** Undefined where the system has no such file, or shows it to others only. */
function readText(path: string): string | undefined {
  return orUnknown(() => readFileSync(path, 'utf8'));
}

function readLink(path: string): string | undefined {
  return orUnknown(() => readlinkSync(path));
}

function orUnknown(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EACCES', 'EPERM', 'ESRCH')) return undefined;
    throw error;
  }
}
