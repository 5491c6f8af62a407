import type { Difference } from './difference.ts';
import type { Sequence, Step } from './request.ts';

/** A way in which the embedded API is not like a real API server, and is not meant to be. */
export interface KnownDifference {
  /** As the page on them has it as its heading. */
  readonly title: string;
  matches(difference: Difference, step: Step | undefined): boolean;
}

/** docs/reference/embedded-differences.md says why. */
export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  {
    title: 'Services that change between having addresses and having none',
    matches: ({ path, real }, step) =>
      isOf(step, '/services') && (/^Service "[^"]*" is invalid/.test(text(real)) || path.includes('.spec.clusterIP')),
  },
  {
    title: 'Families of addresses',
    matches: (difference, step) => isOf(step, '/services') && /\.ipFamil(ies|yPolicy)/.test(difference.path),
  },
  {
    title: 'What is wrong with a definition',
    matches: (difference, step) => isOf(step, '/customresourcedefinitions') && isToldMore(difference),
  },
  {
    title: 'No items and no list',
    matches: ({ path, real, embedded }, step) =>
      (path.endsWith('.generation') && isOf(step, '/networkpolicies')) ||
      (isOf(step, '/roles') && /\.(resourceVersion|managedFields.*)$/.test(path)) ||
      (/\[\]|\{\}/.test(text(real)) && text(real).replace(/\[\]|\{\}/, 'null') === text(embedded)),
  },
  {
    title: 'Status of objects that are not there',
    matches: ({ embedded }, step) => step?.path.endsWith('/status') === true && text(embedded).endsWith(' not found'),
  },
  {
    title: 'Creations with a status that does not fit',
    matches: ({ path, real }, step) =>
      path.includes('.managedFields') && real === undefined && JSON.stringify(step?.body ?? '').includes('"status"'),
  },
];

export function knownDifference(difference: Difference, { steps }: Sequence): KnownDifference | undefined {
  const index = /^\.answers\[(\d+)\]/.exec(difference.path)?.[1];
  const step = index === undefined ? undefined : steps[Number(index)];
  return KNOWN_DIFFERENCES.find((known) => known.matches(difference, step));
}

function isOf(step: Step | undefined, plural: string): boolean {
  return step !== undefined && step.path.includes(plural);
}

/** The real one has more to say. */
function isToldMore({ path, real, embedded }: Difference): boolean {
  if (path.includes('.body.details.causes')) return true;
  return path.endsWith('.body.message') && text(real).endsWith('is invalid: <several causes>') && text(embedded) !== '';
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
