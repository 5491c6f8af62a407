import { digestOf } from '../../lib/digest.ts';
import { isRecord } from '../../lib/json.ts';

/** What makes an Application deliver something else. */
export interface InstructionParts {
  readonly source: unknown;
  readonly destination: unknown;
  /** Argo CD would take these rather than the source. */
  readonly sources?: unknown;
  readonly sourceHydrator?: unknown;
}

/** One digest for what was written, what was compared with the cluster and what was synced. */
export function instructionDigest({ source, destination, sources, sourceHydrator }: InstructionParts): string {
  return digestOf(withoutNulls({ source, destination, sources, sourceHydrator }));
}

/** Argo CD writes its status by merge patches, and no null survives those. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null && item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
