import type { Recording, RehearsalSettings, StageSnapshot } from '../../compose/rehearsal/rehearsals.ts';
import type { Scenario } from '../../embedded/scenario/types.ts';
import type { ErrorCode } from '../../api/errors.ts';
import type { RehearsalCase, RehearsalResult, Wishes } from './rehearsal-case.ts';

/** Plays upgrades beside this thread, each as it would be played here. */
export interface Helper {
  play(what: RehearsalCase): Promise<RehearsalResult>;
  /** Before the first one in which the operator is killed. */
  learn(recording: Recording): void;
  /** Nothing of it is left behind. */
  end(): Promise<void>;
}

/** What a helper needs to know; another thread gets a copy of it. */
export interface HelperTask {
  readonly settings: Omit<RehearsalSettings, 'onLog'>;
  readonly wishes: Wishes;
  readonly scenario: Omit<Scenario, 'onUsed'>;
  readonly snapshot: StageSnapshot;
}

/** Who is told of what happens in a helper. */
export interface HelperEars {
  readonly onLog: (line: string) => void;
  /** A rule of the scenario was used. */
  readonly onUsed: (rule: object) => void;
}

export type ToHelper =
  | { readonly kind: 'play'; readonly number: number; readonly what: RehearsalCase }
  | { readonly kind: 'learn'; readonly recording: Recording }
  | { readonly kind: 'end' };

export type FromHelper =
  | { readonly kind: 'played'; readonly number: number; readonly result: RehearsalResult }
  | { readonly kind: 'failed'; readonly number: number; readonly error: TransferredError }
  | { readonly kind: 'log'; readonly line: string }
  /** By its place in `rulesOf` of the scenario. */
  | { readonly kind: 'used'; readonly rule: number };

/** What of an error passes from one thread to another. */
export interface TransferredError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}
