const MEBIBYTE = 1024 * 1024;

export interface ArchiveLimits {
  readonly compressedBytes: number;
  readonly unpackedBytes: number;
  readonly entries: number;
  /** What of it is held in memory at a time. */
  readonly wantedBytes: number;
}

export const CHART_LIMITS: ArchiveLimits = {
  compressedBytes: 64 * MEBIBYTE,
  unpackedBytes: 256 * MEBIBYTE,
  entries: 20_000,
  wantedBytes: 256 * MEBIBYTE,
};

export const TREE_LIMITS: ArchiveLimits = {
  compressedBytes: 4 * CHART_LIMITS.compressedBytes,
  unpackedBytes: 4 * CHART_LIMITS.unpackedBytes,
  entries: 4 * CHART_LIMITS.entries,
  wantedBytes: CHART_LIMITS.wantedBytes,
};

export const INDEX_LIMIT = 256 * MEBIBYTE;
export const MANIFEST_LIMIT = 4 * MEBIBYTE;
