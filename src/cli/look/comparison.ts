import type { ObjectChange } from '../../domain/plan/diff/object-change.ts';

export interface ComponentChange {
  /** Absent: it is about the package as a whole. */
  readonly component?: string;
  readonly change: ObjectChange;
  /** Names of the revisions, where it is about what they say rather than about an object. */
  readonly revisions?: readonly string[];
}

/** Two states of a package, and what differs between them. */
export interface Comparison {
  readonly before: string;
  readonly after: string;
  readonly changes: readonly ComponentChange[];
  /** What could not be compared, and why: it may differ as well. */
  readonly unread: readonly string[];
}

export function isChanged({ change }: ComponentChange): boolean {
  return change.kind !== 'unchanged';
}
