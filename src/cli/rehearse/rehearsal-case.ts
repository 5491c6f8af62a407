import type { Edition } from '../../compose/rehearsal/edition.ts';
import type { Failure } from '../../compose/rehearsal/failure.ts';
import type { Step } from '../../compose/rehearsal/steps.ts';
import type { DesiredPackage } from '../../domain/resolve/desired.ts';

/** What is to be seen: the same upgrade, with one thing going wrong or none. */
export interface RehearsalCase {
  readonly failures: readonly Failure[];
  /** The operator is killed once so many steps of the upgrade have been taken. */
  readonly killAfter?: number | undefined;
}

export type KillCase = RehearsalCase & { readonly killAfter: number };

export function isKill(what: RehearsalCase): what is KillCase {
  return what.killAfter !== undefined;
}

export interface Editions {
  readonly name: string;
  readonly from: Edition;
  readonly to: Edition;
}

/** How the package is asked for. */
export interface Wishes extends Editions {
  /** What the later edition comes to. */
  readonly desired: DesiredPackage;
  readonly variant?: string | undefined;
  /** A scenario says what becomes of the upgrade. */
  readonly isScripted: boolean;
  /** Time that each component has. */
  readonly timeout?: string | undefined;
  /** Of components, as YAML. */
  readonly values: ReadonlyMap<string, string>;
}

export type Ending =
  /** The wanted version runs. */
  | 'applied'
  /** The version before runs again. */
  | 'rolled back'
  /** It stays as far as it came. */
  | 'stopped'
  | 'rollback failed'
  /** Nothing was begun. */
  | 'refused'
  | 'unfinished';

/** How one upgrade ended. */
export interface RehearsalResult {
  readonly case: RehearsalCase;
  readonly ending: Ending;
  /** Of the Package's `Ready` condition. */
  readonly reason: string;
  readonly message: string;
  /** Of the command. */
  readonly exitCode: number;
  /** Time from the command to its end, as it would have passed. */
  readonly durationMs: number;
  /** Objects of the package that are not as they were before. */
  readonly changed: readonly string[];
  /** Components whose failure took effect: one that changes nothing has nothing that could fail. */
  readonly struck: readonly string[];
  /** How often each hook's Job was made. */
  readonly hookRuns: Readonly<Record<string, number>>;
  readonly steps: readonly Step[];
  readonly killedAt?: Step | undefined;
  /** What users of the package see, command by command. */
  readonly scenes: readonly Scene[];
  /** Where it ends otherwise than kubepkg promises. */
  readonly broken: readonly string[];
}

export interface Scene {
  readonly command: string;
  readonly exitCode: number;
  readonly text: string;
}
