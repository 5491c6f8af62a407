import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '../../ports/system.ts';

const KEPT_BYTES = 1024 * 1024;

export interface PluginCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The plugin may talk to the person at the terminal. */
  readonly interactive: boolean;
  readonly timeoutMs: number;
}

export type PluginEnd =
  | { readonly kind: 'exited'; readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'not-started'; readonly cause: string }
  | { readonly kind: 'timed-out' };

/** Runs a credential plugin without a shell. */
export function runPlugin(call: PluginCall, clock: Clock): Promise<PluginEnd> {
  return new Promise((resolve) => {
    const child = spawn(call.command, call.args, {
      env: call.env,
      stdio: [call.interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      shell: false,
    });
    const stdout = collect(child, 'stdout');
    const stderr = collect(child, 'stderr');
    const timer = clock.after(call.timeoutMs, () => {
      child.kill('SIGKILL');
      resolve({ kind: 'timed-out' });
    });
    child.on('error', (error) => {
      timer.cancel();
      resolve({ kind: 'not-started', cause: error.message });
    });
    child.on('close', (exitCode) => {
      timer.cancel();
      resolve({ kind: 'exited', exitCode: exitCode ?? undefined, stdout: stdout(), stderr: stderr() });
    });
  });
}

/** The first part of what the child writes; the rest is read and dropped, so that it never blocks. */
function collect(child: ChildProcess, name: 'stdout' | 'stderr'): () => string {
  const chunks: Buffer[] = [];
  let size = 0;
  child[name]?.on('data', (chunk: Buffer) => {
    if (size < KEPT_BYTES) chunks.push(chunk);
    size += chunk.length;
  });
  return () => Buffer.concat(chunks).toString('utf8');
}
