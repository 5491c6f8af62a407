/** How much is measured. */
export interface Sizes {
  readonly isolation: { readonly rounds: number; readonly packages: number };
  /** Packages of a chain of components, and pairs of packages of which one requires the other. */
  readonly latency: { readonly chains: number; readonly components: number; readonly pairs: number };
  readonly fleet: { readonly packages: number; readonly components: number };
  readonly embedded: { readonly packages: number };
  readonly restSeconds: number;
  /** Of the program, of which the median counts. */
  readonly starts: number;
}

export const FULL: Sizes = {
  isolation: { rounds: 5, packages: 50 },
  latency: { chains: 34, components: 4, pairs: 20 },
  fleet: { packages: 100, components: 3 },
  embedded: { packages: 1000 },
  restSeconds: 60,
  starts: 20,
};

/** Enough to see that everything runs; the numbers mean nothing. */
export const QUICK: Sizes = {
  isolation: { rounds: 1, packages: 4 },
  latency: { chains: 2, components: 3, pairs: 2 },
  fleet: { packages: 4, components: 2 },
  embedded: { packages: 4 },
  restSeconds: 3,
  starts: 2,
};
