export type VersionAction = 'install' | 'upgrade' | 'downgrade' | 'change' | 'keep';

/** Who brings a package in. */
export interface PulledBy {
  readonly name: string;
  readonly version: string;
  /** `base >=2`, or a capability. */
  readonly requirement: string;
}

/** What is taken of one package, and why. Versions are empty where they are not known, or nothing runs. */
export interface ChosenPackage {
  readonly name: string;
  /** `change`: the same version in another build or variant. */
  readonly action: VersionAction;
  readonly from: string;
  readonly to: string;
  readonly build: number;
  readonly variant: string;
  readonly asked: boolean;
  /** It was not there, and nobody asked for it: installed because others require it. */
  readonly pulledIn: boolean;
  readonly pulledBy: readonly PulledBy[];
  /** Of a package that changes without being asked for: what does not let it stay as it is. */
  readonly because: readonly string[];
  /** The newest version that was not taken although it is newer than the one that was. */
  readonly newer?: NotTaken;
}

export interface NotTaken {
  readonly version: string;
  readonly because: readonly string[];
}

export type DemandKind = 'asked' | 'accepted' | 'running' | 'requires' | 'optional' | 'conflicts' | 'offer';

/** One of the demands that cannot all be met. */
export interface Demand {
  readonly kind: DemandKind;
  /** Whose demand it is; of `offer`: what is offered. */
  readonly name: string;
  readonly versions: readonly string[];
  /** What it is about: a package or a capability. */
  readonly target: string;
  readonly constraint: string;
  readonly sentence: string;
}

export type VersionAnswer =
  | { readonly kind: 'resolved'; readonly packages: readonly ChosenPackage[]; readonly steps: number }
  /** Not one of the demands can be left out: without it the rest could be met. */
  | { readonly kind: 'impossible'; readonly demands: readonly Demand[]; readonly steps: number }
  /** It was given up after so many choices had been taken back. */
  | { readonly kind: 'exhausted'; readonly steps: number };
