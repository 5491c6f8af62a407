import { KubepkgError } from '../../api/errors.ts';
import { formatDuration } from '../../lib/duration.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import { type OperatorWords, readOperatorWords } from '../commands/operator.ts';
import { EXIT } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { placeOf, readLease } from '../install/operator-lease.ts';
import { writeLines } from '../write-lines.ts';
import { atWork, chooseNamespace } from './choose-namespace.ts';
import { untilPutAway } from './put-away.ts';

export type LocalWords = OperatorWords & GlobalFlags & { readonly wait?: boolean | undefined };

/** Longer than the Lease of an operator that is dead; one that is alive renews it meanwhile. */
const PATIENCE_MS = 20_000;
/** What leads reads all packages, releases and CustomResourceDefinitions first. */
const READING_MS = 2 * 60_000;
const SEE_LOG = 'see what is in the way: --log-level info';
/** Somebody who waits is told why. */
const TELL_MS = 2000;

export interface LocalCommand {
  readonly run: () => Promise<number>;
  /** Packages that it has changed, or was asked to wait for; known once it is done. */
  readonly subjects: ReadonlySet<string>;
  /** The user has named the operator's namespace. */
  readonly isNamespaceGiven: boolean;
}

/**
 * Runs a command beside an operator in this process, which holds the Lease as any other does. The operator ends with the
 * command: what it has begun, it or another one goes on with later.
 */
export async function withLocalOperator(host: CliHost, words: LocalWords, command: LocalCommand): Promise<number> {
  const stop = new AbortController();
  const asked = AbortSignal.any([stop.signal, host.interrupted]);
  const namespace = await chooseNamespace(host, words, command.isNamespaceGiven);
  if (asked.aborted) return EXIT.interrupted;
  const operator = startOperator(host, { ...words, namespace }, asked);
  try {
    await awaitLeading(host, { ...words, namespace }, operator);
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
  /** Resolves once nobody else leads. */
  readonly elected: Promise<void>;
  /** Resolves once it leads and has read everything. */
  readonly leading: Promise<void>;
  /** Rejects when something is in the way that does not go by itself. */
  readonly blocked: Promise<never>;
  /** What was in the way last, of what it does now. */
  readonly obstacle: () => KubepkgError | undefined;
  /** Nothing but the Lease is missing. */
  readonly isStandingBy: () => boolean;
  readonly ended: Promise<number>;
}

/** Nobody asks it anything. */
const UNSEEN = { metricsBindAddress: '0', healthProbeBindAddress: '0' };

function startOperator(host: CliHost, words: LocalWords, asked: AbortSignal): LocalOperator {
  const elected = withResolvers<undefined>();
  const leading = withResolvers<undefined>();
  const blocked = withResolvers<never>();
  blocked.promise.catch(() => {
    // Nobody listens to it any more once it leads.
  });
  let obstacle: KubepkgError | undefined;
  let isStandingBy = false;
  const life = {
    stop: asked,
    onStandingBy: () => {
      obstacle = undefined;
      isStandingBy = true;
    },
    onElected: () => {
      elected.resolve(undefined);
    },
    onLeading: () => {
      elected.resolve(undefined);
      leading.resolve(undefined);
    },
    onObstacle: (error: KubepkgError) => {
      obstacle = error;
      if (error.class !== 'transient') blocked.reject(error);
    },
  };
  const ended = host.runLocalOperator(readOperatorWords(host, { ...words, ...UNSEEN }), life);
  const { promise: toLead } = leading;
  return {
    asked,
    elected: elected.promise,
    leading: toLead,
    blocked: blocked.promise,
    obstacle: () => obstacle,
    isStandingBy: () => isStandingBy,
    ended,
  };
}

/** Also ends when it was told to stop before; fails when somebody else leads, or when it cannot begin. */
async function awaitLeading(host: CliHost, words: LocalWords, operator: LocalOperator): Promise<void> {
  const line = (): string => {
    const obstacle = operator.obstacle();
    if (obstacle !== undefined) return `waiting: ${obstacle.message}`;
    return 'waiting for the Lease of the operator, which somebody else may hold';
  };
  const election = await awaitStage(host, operator, { until: operator.elected, ms: PATIENCE_MS, line });
  if (election === 'late') throw await notElected(host, words, operator);
  if (election === 'ended') return;
  const reading = { until: operator.leading, ms: READING_MS, line: () => 'reading what is in the cluster' };
  if ((await awaitStage(host, operator, reading)) === 'late') throw notRead();
}

interface Stage {
  readonly until: Promise<void>;
  readonly ms: number;
  /** Told to somebody who waits. */
  readonly line: () => string;
}

/** `ended`: it was told to stop. */
async function awaitStage(
  host: CliHost,
  { ended, asked, blocked }: LocalOperator,
  { until, ms, line }: Stage,
): Promise<'done' | 'late' | 'ended'> {
  const patience = withResolvers<undefined>();
  const timer = host.clock.after(ms, () => {
    patience.resolve(undefined);
  });
  const told = host.clock.after(TELL_MS, () => {
    writeLines(host.stderr, [line()]);
  });
  const first = await Promise.race([
    until.then(() => 'done' as const),
    patience.promise.then(() => 'late' as const),
    ended.then(() => 'ended' as const),
    blocked,
  ]).finally(() => {
    timer.cancel();
    told.cancel();
  });
  if (first === 'ended' && !asked.aborted) throw lost();
  return first;
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

/** Only a Lease that another one holds says that somebody is at work. */
async function notElected(host: CliHost, words: LocalWords, operator: LocalOperator): Promise<KubepkgError> {
  const { namespace } = words;
  const obstacle = operator.obstacle();
  if (obstacle !== undefined && !operator.isStandingBy()) return obstacle;
  const lease = await withCluster(host, words, ({ cluster }) => readLease(cluster, namespace));
  if (lease !== undefined && lease.holder !== '') return atWork(lease.holder, namespace);
  const message = `the ${placeOf({ namespace })} could not be taken in ${formatDuration(PATIENCE_MS)}`;
  return obstacle ?? new KubepkgError('ApiTimeout', message, { hint: SEE_LOG });
}

function notRead(): KubepkgError {
  const message = `what is in the cluster could not be read in ${formatDuration(READING_MS)}`;
  return new KubepkgError('ApiTimeout', message, { hint: SEE_LOG });
}

function withResolvers<T>(): Resolvable<T> {
  let resolve: Resolvable<T>['resolve'] = () => undefined;
  let reject: Resolvable<T>['reject'] = () => undefined;
  const promise = new Promise<T>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}

interface Resolvable<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T | PromiseLike<T>) => void;
  readonly reject: (reason: KubepkgError) => void;
}
