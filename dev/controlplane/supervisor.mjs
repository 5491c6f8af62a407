// Owns every process of one control plane, in a session of its own, so that nothing outlives whoever asked for it:
// the kernel closes standard input when the parent ends, however it ends, and that is the order to clear up.
// Usage: node supervisor.mjs FOLDER; commands come in and events go out as lines of JSON.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const GRACE_MS = 2_000;

class Supervision {
  #folder;
  #children = new Map();
  #closing = false;

  constructor(folder) {
    this.#folder = folder;
  }

  obey(line) {
    if (this.#closing) return;
    const command = JSON.parse(line);
    if (command.op === 'start') this.#start(command);
    if (command.op === 'signal') this.#children.get(command.name)?.child.kill(command.signal);
  }

  shutDown() {
    if (this.#closing) return;
    this.#closing = true;
    for (const { child, stopSignal } of this.#children.values()) {
      // A paused process cannot act on SIGTERM.
      child.kill('SIGCONT');
      child.kill(stopSignal);
    }
    if (this.#children.size === 0) this.#finish();
    setTimeout(() => this.#killAll(), GRACE_MS);
  }

  #start({ name, command, env, log, stopSignal }) {
    const output = openSync(log, 'a');
    const child = spawn(command[0], command.slice(1), { env, cwd: this.#folder, stdio: ['ignore', output, output] });
    closeSync(output);
    child.on('error', (error) => report({ event: 'failed', name, message: error.message }));
    if (child.pid === undefined) return;
    this.#children.set(name, { child, stopSignal });
    appendFileSync(join(this.#folder, 'pids'), `${child.pid}\n`);
    child.on('exit', (code, signal) => {
      this.#children.delete(name);
      report({ event: 'exited', name, code, signal });
      if (this.#closing && this.#children.size === 0) this.#finish();
    });
    report({ event: 'started', name, pid: child.pid });
  }

  #killAll() {
    for (const { child } of this.#children.values()) child.kill('SIGKILL');
  }

  #finish() {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    process.exit(0);
  }
}

function report(event) {
  if (process.stdout.writable) process.stdout.write(`${JSON.stringify(event)}\n`);
}

const supervision = new Supervision(process.argv[2]);
const shutDown = () => supervision.shutDown();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, shutDown);
for (const stream of [process.stdout, process.stderr]) {
  // The parent that would have read it is gone; the clearing up that follows is all that matters.
  stream.on('error', () => undefined);
}
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  shutDown();
});
createInterface({ input: process.stdin })
  .on('line', (line) => supervision.obey(line))
  .on('close', shutDown);
