import { runDifferential } from './run.ts';

/**
 * `SEQUENCES=n` compares n sequences (1000), from number `FROM` on (1), with a real API server. `RECORD=FILE` writes its
 * answers down; `REPLAY=FILE` compares with what was written down, without a server. `FAILURES=n` goes on after the first
 * that differs. Interrupted, it tells how far it came.
 */
const { env } = process;
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interruption.abort();
  });
}
process.exitCode = await runDifferential({
  count: Number(env['SEQUENCES'] ?? '1000'),
  from: Number(env['FROM'] ?? '1'),
  failures: Number(env['FAILURES'] ?? '1'),
  record: env['RECORD'],
  replay: env['REPLAY'],
  signal: interruption.signal,
});
