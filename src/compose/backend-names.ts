/** Backends that this program has, the default one first. */
export const BACKENDS = ['helm'] as const;
export const DEFAULT_BACKEND = BACKENDS[0];
