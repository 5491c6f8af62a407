import { KubepkgError } from '../../api/errors.ts';
import { OPERATOR_LEASE } from '../../api/names.ts';
import { asString, at } from '../../lib/json.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import { type OperatorWords, readOperatorWords } from '../commands/operator.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { writeLines } from '../write-lines.ts';
import { untilPutAway } from './put-away.ts';

export type LocalWords = OperatorWords & GlobalFlags & { readonly wait?: boolean | undefined };

/** Longer than the Lease of an operator that is dead; one that is alive renews it meanwhile. */
const PATIENCE_MS = 20_000;
/** Somebody who waits is told why. */
const TELL_MS = 2000;

export interface LocalCommand {
  readonly run: () => Promise<number>;
  /** Packages that it has changed, or was asked to wait for; known once it is done. */
  readonly subjects: ReadonlySet<string>;
}

/**
 * Runs a command beside an operator in this process, which holds the Lease as any other does. The operator ends with the
 * command: what it has begun, it or another one goes on with later.
 */
export async function withLocalOperator(host: CliHost, words: LocalWords, command: LocalCommand): Promise<number> {
  const stop = new AbortController();
  const asked = AbortSignal.any([stop.signal, host.interrupted]);
  const operator = startOperator(host, words, asked);
  try {
    await awaitLeading(host, words, operator);
    if (host.interrupted.aborted) return EXIT.interrupted;
    const done = await Promise.race([command.run(), untilLost(operator)]);
    if (words.wait !== false) {
      const rest = { names: command.subjects, asked };
      await Promise.race([untilPutAway(host, words, rest), untilLost(operator)]);
    }
    return done;
  } finally {
    stop.abort();
    await Promise.allSettled([operator.ended]);
    const rest = 'with --local nothing goes on by itself: run the same command again to go on';
    if (host.interrupted.aborted) writeLines(host.stderr, [rest]);
  }
}

interface LocalOperator {
  readonly asked: AbortSignal;
  /** Resolves once it leads and has read everything. */
  readonly leading: Promise<void>;
  readonly ended: Promise<number>;
}

/** Nobody asks it anything. */
const UNSEEN = { metricsBindAddress: '0', healthProbeBindAddress: '0' };

function startOperator(host: CliHost, words: LocalWords, asked: AbortSignal): LocalOperator {
  const { promise: leading, resolve: onLeading } = withResolvers();
  const flags = readOperatorWords(host, { ...words, ...UNSEEN });
  return { asked, leading, ended: host.runLocalOperator(flags, { stop: asked, onLeading }) };
}

function withResolvers(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Also ends when it was told to stop before; fails when somebody else leads, or when it cannot begin. */
async function awaitLeading(host: CliHost, words: LocalWords, operator: LocalOperator): Promise<void> {
  const patience = withResolvers();
  const timer = host.clock.after(PATIENCE_MS, patience.resolve);
  const told = host.clock.after(TELL_MS, () => {
    writeLines(host.stderr, ['waiting for the Lease of the operator, which somebody else may hold']);
  });
  const first = await Promise.race([
    operator.leading,
    patience.promise.then(() => 'late' as const),
    operator.ended.then(() => 'ended' as const),
  ]).finally(() => {
    timer.cancel();
    told.cancel();
  });
  if (first === 'late') throw await heldElsewhere(host, words);
  if (first === 'ended' && !operator.asked.aborted) throw lost();
}

/** Never ends where the operator ends as it was told to. */
async function untilLost({ asked, ended }: LocalOperator): Promise<never> {
  await ended;
  if (asked.aborted) return new Promise<never>(() => undefined);
  throw lost();
}

function lost(): KubepkgError {
  const message = 'the operator in this process has lost its Lease, or failed: what is in progress stays as it is';
  return new KubepkgError('Internal', message, { hint: 'run the same command again to go on' });
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
