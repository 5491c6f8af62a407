import type { Clock } from '../../../src/ports/system.ts';

/** Factors on the times of the real controller, so that tests are quick; 1 is as it is. */
export interface Timing {
  /** The tick of waits and dependencies (5 s), retries (from 750 ms), the pause after a remediation (10 s). */
  readonly pauses: number;
  /** `spec.timeout`. */
  readonly deadlines: number;
  /** `spec.interval`. */
  readonly intervals: number;
}

/** The moments of an action at which the controller can be made to die. */
export type Moment =
  /** The record is written, and nothing else. */
  | 'pending'
  /** All objects are written, and nothing was waited for. */
  | 'objects'
  /** The record says how it ended, and the HelmRelease does not yet. */
  | 'recorded'
  /** Ready is written, and history is still the old one. */
  | 'conditions';

export interface Sabotage {
  readonly action: 'install' | 'upgrade';
  /** `before`: nothing is written (a render error); `objects`: the record ends as failed. */
  readonly where: 'before' | 'objects';
  readonly message: string;
  readonly times: number;
}

/** Ways to be awkward that the real controller has, too; they can be changed at any time. */
export interface AwkwardModes {
  /** How long a change lies before it is noticed: until then Ready is the old one. */
  readonly noticeMs: number;
  /** How long the HelmRelease is silent after the release record was written. */
  readonly lateStatusMs: number;
  /** Pause between any two writes, so that every state on the way can be seen. */
  readonly gapMs: number;
  /** That many writes of conditions find that somebody was faster, and are made again. */
  readonly conflicts: number;
  /** Deadlines are told without the object that they are about [16 left, 27]. */
  readonly vagueTimeouts: boolean;
  readonly sabotage: Sabotage | undefined;
}

export interface HelmControllerOptions {
  /** Of somebody who may do everything. */
  readonly kubeconfig: string;
  /** The program helm, 4.1 or newer. */
  readonly helm: string;
  readonly clock?: Clock;
  readonly timing?: Partial<Timing>;
  readonly modes?: Partial<AwkwardModes>;
  /** Which namespaces are its own; all when left out. Two controllers never share one. */
  readonly accepts?: (namespace: string) => boolean;
  /** Gets what should not happen; without it, it is thrown. */
  readonly onError?: (error: unknown) => void;
}

export interface HelmControllerStandin {
  /** Freezes everything, helm included, as SIGSTOP does. */
  pause(): void;
  resume(): void;
  /** Ends it without any cleaning up; running helm dies. Resolves once nothing of it runs. */
  kill(): Promise<void>;
  /** Starts it anew; it looks at every HelmRelease, as after any start. */
  start(): Promise<void>;
  set(modes: Partial<AwkwardModes>): void;
  /** Dies at that moment of an action and starts anew; resolves when it runs again. */
  crashAt(moment: Moment, about?: { readonly namespace: string; readonly name: string }): Promise<void>;
  /** Kills it and removes its temporary files. */
  close(): Promise<void>;
}

export const REAL_TIMING: Timing = { pauses: 1, deadlines: 1, intervals: 1 };

export const NO_MODES: AwkwardModes = {
  noticeMs: 0,
  lateStatusMs: 0,
  gapMs: 0,
  conflicts: 0,
  vagueTimeouts: false,
  sabotage: undefined,
};
