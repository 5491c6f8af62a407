import type { Election, ElectionEvents } from '../compose/operator.ts';

export interface Loss {
  readonly kind: 'lost';
  readonly reason: string;
}

/** Leadership, from its start to its end. */
export interface Term {
  /** Resolves when it is lost; whoever has no rival never loses it. */
  readonly lost: Promise<Loss>;
  /** Gives it away, if it is still held, and does not try to win it again. */
  release(): Promise<void>;
}

/** The term of an operator that was told that it is the only one. */
export const UNRIVALLED: Term = { lost: new Promise(() => undefined), release: () => Promise.resolve() };

/** Stands for election until it is won; undefined: told to give up before. */
export async function winTerm(
  elect: (events: ElectionEvents) => Election,
  stopped: Promise<unknown>,
  onFailure?: ElectionEvents['onFailure'],
): Promise<Term | undefined> {
  let onStarted: ElectionEvents['onStarted'] = () => undefined;
  let onLost: ElectionEvents['onLost'] = () => undefined;
  const won = new Promise<true>((resolve) => {
    onStarted = () => {
      resolve(true);
    };
  });
  const lost = new Promise<Loss>((resolve) => {
    onLost = (reason) => {
      resolve({ kind: 'lost', reason });
    };
  });
  const election = elect({ onStarted, onLost, ...(onFailure === undefined ? {} : { onFailure }) });
  election.start();
  const release = (): Promise<void> => election.stop();
  if (await Promise.race([won, stopped.then(() => false)])) return { lost, release };
  await release();
  return undefined;
}
