// Owns every process of one control plane, in a session of its own, so that nothing outlives whoever asked for it:
// the kernel closes standard input when the parent ends, however it ends, and that is the order to clear up.
// Usage: node supervisor.mjs FOLDER; commands come in and events go out as lines of JSON.
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const GRACE_MS = 2_000;
const folder = process.argv[2];
const children = new Map();
let closing = false;

function report(event) {
  if (process.stdout.writable) process.stdout.write(`${JSON.stringify(event)}\n`);
}

function start({ name, command, env, log }) {
  const output = openSync(log, 'a');
  const child = spawn(command[0], command.slice(1), { env, cwd: folder, stdio: ['ignore', output, output] });
  closeSync(output);
  child.on('error', (error) => report({ event: 'failed', name, message: error.message }));
  if (child.pid === undefined) return;
  children.set(name, child);
  appendFileSync(join(folder, 'pids'), `${child.pid}\n`);
  child.on('exit', (code, signal) => {
    if (children.get(name) === child) children.delete(name);
    report({ event: 'exited', name, code, signal });
    if (closing && children.size === 0) finish();
  });
  report({ event: 'started', name, pid: child.pid });
}

function signalAll(signal) {
  for (const child of children.values()) child.kill(signal);
}

function shutDown() {
  if (closing) return;
  closing = true;
  // A stopped process cannot act on SIGTERM.
  signalAll('SIGCONT');
  signalAll('SIGTERM');
  if (children.size === 0) finish();
  setTimeout(() => signalAll('SIGKILL'), GRACE_MS).unref();
}

function finish() {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  process.exit(0);
}

function obey(line) {
  const command = JSON.parse(line);
  if (closing) return;
  if (command.op === 'start') start(command);
  if (command.op === 'signal') children.get(command.name)?.kill(command.signal);
  if (command.op === 'shutdown') shutDown();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, shutDown);
process.stdout.on('error', () => undefined);
process.on('uncaughtException', (error) => {
  process.stderr.write(`${error.stack}\n`);
  shutDown();
});
createInterface({ input: process.stdin }).on('line', obey).on('close', shutDown);
