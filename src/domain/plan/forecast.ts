import type { ErrorCode } from '../../api/errors.ts';
import type { ReadyReason } from '../../api/reasons.ts';
import type { Action } from '../decide/decision.ts';
import type { World } from '../decide/world.ts';

/** What a step is followed by before the next one begins, and how long that may take. */
export interface Awaited {
  /** Each in words, such as `condition Ready of Cluster shop/db`. */
  readonly until: readonly string[];
  readonly timeoutMs: number;
}

interface OfComponent {
  readonly component: string;
  /** `namespace/name` of its release. */
  readonly release: string;
}

/** One step of a package, in the order of the run. Plain data; the texts are made elsewhere. */
export type ForeseenStep =
  /** The charts are fetched and verified. */
  | { readonly kind: 'fetch'; readonly version: string; readonly charts: readonly string[] }
  /** A revision begins. */
  | {
      readonly kind: 'begin';
      readonly revision: number;
      readonly version: string;
      readonly fromVersion?: string | undefined;
      /** It puts back what that revision had. */
      readonly restoredFrom?: number | undefined;
    }
  /** CRDs pass on to the package; `from`: those that give them up. */
  | { readonly kind: 'claim-crds'; readonly crds: readonly string[]; readonly from: readonly string[] }
  /** CRDs that the package owns no more; they stay. */
  | { readonly kind: 'release-crds' | 'delete-crds'; readonly crds: readonly string[] }
  | (OfComponent & {
      readonly kind: 'hook';
      readonly fromVersion: string;
      readonly toVersion: string;
      readonly awaits: Awaited;
    })
  /** `attempt` above 1: it was begun before. */
  | (OfComponent & {
      readonly kind: 'install' | 'upgrade';
      readonly attempt: number;
      readonly namespace: string;
      readonly awaits: Awaited;
    })
  /** Its release is what is wanted already: only its readiness is awaited. */
  | (OfComponent & { readonly kind: 'keep'; readonly awaits: Awaited })
  /**
   * Its release goes. `moved`: it has another place now; `dropped`: the new version lacks it, or it is a hook that has
   * ended; `undone`: only the revisions that are rolled back had it; `leftover`: of a former attempt; `package`: the
   * package goes.
   */
  | (OfComponent & {
      readonly kind: 'remove';
      readonly why: 'moved' | 'dropped' | 'hook-done' | 'undone' | 'leftover' | 'package';
      /** Its PersistentVolumeClaims stay. */
      readonly keepsData: boolean;
    })
  /** What a dead process, or a controller, left is put in order first. */
  | (OfComponent & { readonly kind: 'unlock' | 'stop' | 'hand-back' | 'replace-pod' })
  /** Every component is ready. */
  | { readonly kind: 'commit'; readonly revision: number; readonly version: string }
  /** A revision ends without being applied. */
  | { readonly kind: 'fail'; readonly revision: number; readonly version: string; readonly message: string }
  /** A revision is taken over from the Go implementation, and completed. */
  | { readonly kind: 'take-over'; readonly revision: string }
  /** Revisions beyond the limit of the history, or of a package that goes. */
  | { readonly kind: 'forget'; readonly revision: string }
  | { readonly kind: 'restore-namespace'; readonly namespace: string };

/** Where the steps lead. */
export type ForecastEnd =
  /** What is wanted runs; or nothing is to be done. */
  | { readonly kind: 'converged'; readonly reason: ReadyReason; readonly message: string }
  /** The package is gone. */
  | { readonly kind: 'removed'; readonly reason: ReadyReason; readonly message: string }
  /** Somebody else has to do something first: the message names who and what. */
  | { readonly kind: 'blocked'; readonly reason: ReadyReason; readonly message: string }
  /** It stays as it is until the package changes. */
  | {
      readonly kind: 'stalled';
      readonly reason: ReadyReason;
      readonly message: string;
      readonly code?: ErrorCode | undefined;
    }
  /** It cannot be carried out as written. */
  | { readonly kind: 'invalid'; readonly reason: ReadyReason; readonly message: string }
  /** More steps than any package needs: a fault of kubepkg. */
  | { readonly kind: 'endless'; readonly reason: ReadyReason; readonly message: string };

/** Whether the package would be rolled back should a component fail. */
export type RollbackForecast =
  | { readonly possible: true; readonly revision: number; readonly version: string }
  | { readonly possible: false; readonly why: string };

export interface Forecast {
  readonly package: string;
  readonly steps: readonly ForeseenStep[];
  readonly end: ForecastEnd;
  /** Undefined: no revision would be carried out. */
  readonly rollback: RollbackForecast | undefined;
  /** Every action, in order, as `decide` gave it. */
  readonly actions: readonly Action[];
  /** What is there when all of it has succeeded. */
  readonly world: World;
}
