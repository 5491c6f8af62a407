import type { Difference } from './difference.ts';
import { PATCH_TYPES, type Sequence, type Step } from './request.ts';

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
    title: 'Negative replicas of custom kinds',
    matches: ({ real }) => text(real).includes('should be a non-negative integer') || isSeveral(real),
  },
  {
    title: 'Scales of custom kinds',
    matches: (_difference, step) =>
      step?.path.includes('differential.example.org') === true && step.path.endsWith('/scale'),
  },
  {
    title: 'What is wrong with a definition',
    matches: (_difference, step) => isOf(step, '/customresourcedefinitions'),
  },
  {
    title: 'No items and no list',
    matches: ({ path, real, embedded }, step) =>
      (path.endsWith('.generation') && isOf(step, '/networkpolicies')) ||
      (isOf(step, '/roles') && /\.(resourceVersion|managedFields.*)$/.test(path)) ||
      (text(real).includes('[]') && text(real).replace('[]', 'null') === text(embedded)),
  },
  {
    title: 'Empty metadata in applied custom objects',
    matches: ({ path }, step) =>
      path.endsWith('.metadata.resourceVersion') &&
      step?.type === PATCH_TYPES.apply &&
      step.path.includes('differential.example.org'),
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

function isSeveral(value: unknown): boolean {
  return /^(Thing|Plain)\.differential\.example\.org "[^"]*" is invalid: <several causes>$/.test(text(value));
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
