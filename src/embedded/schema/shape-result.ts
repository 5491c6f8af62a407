import { invalidType, invalidValue, notSupported, required, tooLong, tooMany } from '../model/causes.ts';
import type { StatusCause } from '../model/status-error.ts';

/** What is wrong with a value, and how much of it was looked at: of alternatives, the one that fits best explains. */
export interface ShapeResult {
  readonly causes: readonly StatusCause[];
  readonly matches: number;
}

/** Mistakes about the whole of what was validated have no field. */
export const NO_FIELD = '<nil>';

export const FINE: ShapeResult = { causes: [], matches: 1 };

export function merged(results: readonly ShapeResult[]): ShapeResult {
  return {
    causes: results.flatMap(({ causes }) => causes),
    matches: results.reduce((sum, { matches }) => sum + matches, 0),
  };
}

export function problem(...causes: readonly StatusCause[]): ShapeResult {
  return { causes, matches: 0 };
}

/** Of a value at a path, worded as kube-openapi: `spec.size in body should be at least …`. */
export function unfit(path: string, value: unknown, what: string): StatusCause {
  return invalidValue(fieldOf(path), value, `${trimmed(path)} in body ${what}`);
}

export function unfitType(path: string, expected: string, found: string): StatusCause {
  const message = `${trimmed(path)} in body must be of type ${expected}: ${JSON.stringify(found)}`;
  return invalidType(fieldOf(path), found, message);
}

export function missing(path: string): StatusCause {
  return required(fieldOf(path));
}

export function notAllowed(path: string, value: unknown, allowed: readonly unknown[]): StatusCause {
  const values = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  return notSupported(fieldOf(path), value, values);
}

export function longerThan(path: string, limit: number): StatusCause {
  return tooLong(fieldOf(path), limit);
}

export function moreThan(path: string, count: number, limit: number): StatusCause {
  return tooMany(fieldOf(path), count, limit);
}

export function general(message: string): StatusCause {
  return invalidValue(NO_FIELD, '', message);
}

function fieldOf(path: string): string {
  return path === '' ? NO_FIELD : trimmed(path);
}

function trimmed(path: string): string {
  return path.startsWith('.') ? path.slice(1) : path;
}
