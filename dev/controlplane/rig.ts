import { join } from 'node:path';
import type { ControlPlaneOptions } from './contract.ts';
import type { PartName } from './pins.ts';
import type { Binaries } from './prepare.ts';
import { lastLines, readQuietly } from './processes.ts';
import type { Setup } from './setup.ts';
import type { ChildExit, ChildSpec, Supervisor } from './supervisor.ts';
import { UserError } from './user-error.ts';
import { GiveUp, waitUntil } from './wait.ts';

const TIMEOUT_MS = 45_000;

/** A control plane while it is made, and what is needed to start one of its processes again. */
export interface Rig {
  readonly supervisor: Supervisor;
  readonly setup: Setup;
  /** Those of parts that were not asked for may be missing. */
  readonly binaries: Binaries<PartName>;
  readonly options: ControlPlaneOptions;
  /** How to tell that a process can be used, of those that can be asked. */
  readonly checks: Map<string, () => Promise<boolean>>;
}

export interface RigProcess extends Omit<ChildSpec, 'log' | 'stopSignal'> {
  readonly stopSignal?: ChildSpec['stopSignal'];
  readonly answers?: () => Promise<boolean>;
}

export function startProcess({ supervisor, setup, checks }: Rig, { answers, ...spec }: RigProcess): void {
  if (answers !== undefined) checks.set(spec.name, answers);
  supervisor.start({ stopSignal: 'SIGTERM', ...spec, log: join(setup.layout.logs, `${spec.name}.log`) });
}

/** Waits, but gives up at once when one of the processes has ended. */
export async function waitFor(rig: Rig, what: string, check: () => Promise<boolean>): Promise<void> {
  await waitUntil(
    () => {
      refuseExit(rig.supervisor.exits()[0]);
      return check();
    },
    { what, timeoutMs: TIMEOUT_MS },
  );
}

/** Ends a process as a crash would; returns when it is gone. */
export async function killProcess({ supervisor }: Rig, name: string): Promise<void> {
  if (supervisor.exitOf(name) !== undefined) return;
  supervisor.refuseUnknown(name);
  supervisor.signal(name, 'SIGKILL');
  await waitUntil(() => Promise.resolve(supervisor.exitOf(name) !== undefined), {
    what: `The end of ${name}`,
    timeoutMs: TIMEOUT_MS,
  });
}

/** Returns when the new process can be used. What else has ended meanwhile may stay so. */
export async function restartProcess(rig: Rig, name: string): Promise<void> {
  const { supervisor, checks } = rig;
  await killProcess(rig, name);
  supervisor.startAgain(name);
  const answers = checks.get(name) ?? (() => Promise.resolve(supervisor.pids.has(name)));
  await waitUntil(
    () => {
      refuseExit(supervisor.exitOf(name));
      return answers();
    },
    { what: name, timeoutMs: TIMEOUT_MS },
  );
}

function refuseExit(exit: ChildExit | undefined): void {
  if (exit === undefined) return;
  const log = lastLines(readQuietly(exit.log), 15);
  throw new GiveUp(
    new UserError(
      `${exit.name} ended while the control plane was starting (${exit.reason}). The end of its log:\n${log}`,
      'Mend the cause and start again; a port that was taken in between is gone by then.',
    ),
  );
}
