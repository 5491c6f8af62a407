import { runSeeds } from './run-seeds.ts';

/** `FROM=k SEEDS=n`: n simulations from number k on. `TRACE=1` shows also those that went well, `ONLY=crash1,edit2` repeats one with less trouble, `FAILURES=n` goes on after the first that fails. Interrupted, it tells how far it came. */
const { env } = process;
const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interruption.abort();
  });
}
const only = env['ONLY']?.split(',').filter((name) => name !== '');
process.exitCode = await runSeeds({
  from: Number(env['FROM'] ?? '1'),
  count: Number(env['SEEDS'] ?? '1000'),
  failures: Number(env['FAILURES'] ?? '1'),
  traced: env['TRACE'] === '1',
  explained: env['EXPLAIN'] !== '0',
  only,
  signal: interruption.signal,
});
