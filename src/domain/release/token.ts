import { sha256 } from '../../lib/digest.ts';
import { stableJson } from '../../lib/stable-json.ts';

/** Characters of a digest that fit, with room to spare, into a label value. */
const LABEL_DIGITS = 40;

export interface Attempt {
  readonly packageUid: string;
  readonly revisionUid: string;
  readonly component: string;
  readonly attempt: number;
}

/** Recognises one submission of one component, on the release itself. */
export function attemptToken(attempt: Attempt): string {
  return sha256(stableJson(attempt)).slice(0, LABEL_DIGITS);
}

/** A digest of what has an effect on a release, short enough for a label. */
export function labelDigest(value: unknown): string {
  return sha256(stableJson(value)).slice(0, LABEL_DIGITS);
}
