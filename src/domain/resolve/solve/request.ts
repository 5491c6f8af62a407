import type { Requirement } from '../../../api/package-source.ts';

/** One way to install a version; `dependsOn` is written out as requirements. */
export interface OfferedVariant {
  readonly name: string;
  readonly requires: readonly Requirement[];
}

/** One version of a package that could be installed: from a PackageSource, or one entry of a repository's index. */
export interface OfferedVersion {
  readonly name: string;
  /** Undefined: a repository may deliver the package, in what version is not known yet. It is taken to fit. */
  readonly version: string | undefined;
  readonly build: number;
  /** Capabilities; the package's own name is one already. */
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
  readonly variants: readonly OfferedVariant[];
}

/** A Package of the cluster, and what is known of what runs. */
export interface InstalledPackage {
  readonly name: string;
  /** Version that is applied; undefined: none is yet, and the rest says only what is wanted. */
  readonly version: string | undefined;
  readonly build?: number | undefined;
  /** `spec.version`. */
  readonly constraint?: string | undefined;
  readonly variant: string;
  /** `spec.ignoreDependencies`. */
  readonly ignores: readonly string[];
  /** Requirements, capabilities and conflicts of what runs. */
  readonly requires: readonly Requirement[];
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
}

/** A package that somebody asks for. */
export interface AskedPackage {
  readonly name: string;
  /** Takes the place of the Package's own; only this one may ask for an older version than the one that runs. */
  readonly constraint?: string | undefined;
  /** Undefined: the Package's own, or `default`. */
  readonly variant?: string | undefined;
  readonly ignores?: readonly string[] | undefined;
  /** What runs cannot be held, as its source is replaced by what is on offer. */
  readonly followsOffer?: boolean | undefined;
}

export interface SearchLimits {
  /** Choices that may be taken back. */
  readonly steps: number;
  /** Comparisons of all kinds: what bounds the time. */
  readonly work: number;
}

export const SEARCH_LIMITS: SearchLimits = { steps: 10_000, work: 10_000_000 };

/** Everything that decides which versions are taken. The order of the lists has no influence. */
export interface VersionRequest {
  readonly installed: readonly InstalledPackage[];
  readonly offers: readonly OfferedVersion[];
  readonly asked: readonly AskedPackage[];
  /** `GROUP/VERSION`, or `v1`, of the APIs that the server has, as far as somebody requires them. */
  readonly servedApis: readonly string[];
  readonly limits?: SearchLimits | undefined;
}
