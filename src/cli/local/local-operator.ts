import { KubepkgError } from '../../api/errors.ts';
import { OPERATOR_LEASE } from '../../api/names.ts';
import { asString, at } from '../../lib/json.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import { type OperatorWords, readOperatorWords } from '../commands/operator.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { writeLines } from '../write-lines.ts';

export type LocalWords = OperatorWords & GlobalFlags;

/** Longer than the Lease of an operator that is dead; one that is alive renews it meanwhile. */
const PATIENCE_MS = 20_000;

/**
 * Runs a command beside an operator in this process, which holds the Lease as any other does. The operator ends with the
 * command: what it has begun, it or another one goes on with later.
 */
export async function withLocalOperator(
  host: CliHost,
  words: LocalWords,
  command: () => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  const operator = startOperator(host, words, stop.signal);
  try {
    await operator.leading;
    if (host.interrupted.aborted) return EXIT.interrupted;
    return await Promise.race([command(), operator.lost]);
  } finally {
    stop.abort();
    await Promise.allSettled([operator.ended]);
    const rest = 'with --local nothing goes on by itself: run the same command again to go on';
    if (host.interrupted.aborted) writeLines(host.stderr, [rest]);
  }
}

interface LocalOperator {
  /** Resolves once it leads, or was told to stop before; rejects when somebody else leads, or when it cannot begin. */
  readonly leading: Promise<void>;
  /** Rejects when it ends although nobody told it to. */
  readonly lost: Promise<never>;
  readonly ended: Promise<number>;
}

function startOperator(host: CliHost, words: LocalWords, stop: AbortSignal): LocalOperator {
  const { promise: led, resolve: onLeading } = withResolvers();
  const flags = readOperatorWords(host, { ...words, ...UNSEEN });
  const asked = AbortSignal.any([stop, host.interrupted]);
  const ended = host.runLocalOperator(flags, { stop: asked, onLeading });
  const lost = new Promise<never>((_resolve, reject) => {
    ended.then(() => {
      if (!asked.aborted) reject(new KubepkgError('Internal', LOST, { hint: 'run the same command again to go on' }));
    }, reject);
  });
  // Who is told is the command, where there is one.
  lost.catch(() => undefined);
  return { leading: awaitLeading(host, words, { led, lost, ended }), lost, ended };
}

/** Nobody asks it anything. */
const UNSEEN = { metricsBindAddress: '0', healthProbeBindAddress: '0' };
const LOST = 'the operator in this process has lost its Lease, or failed: what is in progress stays as it is';

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

async function awaitLeading(
  host: CliHost,
  words: LocalWords,
  { led, lost, ended }: { readonly led: Promise<void>; readonly lost: Promise<never>; readonly ended: Promise<number> },
): Promise<void> {
  const patience = withResolvers();
  const timer = host.clock.after(PATIENCE_MS, patience.resolve);
  const first = await Promise.race([
    Promise.race([led, ended]).then(() => 'begun' as const),
    patience.promise.then(() => 'late' as const),
    lost,
  ]);
  timer.cancel();
  if (first === 'late') throw await heldElsewhere(host, words);
}

async function heldElsewhere(host: CliHost, words: LocalWords): Promise<KubepkgError> {
  const { namespace } = words;
  const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name: OPERATOR_LEASE };
  const object = await withCluster(host, words, ({ cluster }) => cluster.read(lease));
  const holder = asString(at(object, 'spec', 'holderIdentity')) ?? 'somebody else';
  return new KubepkgError('InvalidInput', `an operator is at work in this cluster: ${holder} holds its Lease`, {
    hint: 'leave out --local: that operator does what you ask for',
  });
}
