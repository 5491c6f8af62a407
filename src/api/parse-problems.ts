import type * as z from 'zod';
import { didYouMean } from '../lib/did-you-mean.ts';
import { isRecord } from '../lib/json.ts';
import { formatPath, type Problem } from './unknown-fields.ts';

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

/** A zod issue in our words, without the value that was given. */
export function problemOf(issue: z.core.$ZodIssue, root: unknown): Problem {
  const path = formatPath(issue.path);
  const given = valueAt(root, issue.path);
  if (issue.code === 'invalid_type') return { path, ...wrongType(issue.expected, given) };
  if (issue.code === 'invalid_value') return { path, ...wrongValue(issue.values.map(String), given) };
  if (issue.code === 'too_small') return { path, message: atLeast(issue.origin, Number(issue.minimum)) };
  if (issue.code === 'too_big') return { path, message: atMost(issue.origin, Number(issue.maximum)) };
  return { path, message: issue.message };
}

function wrongType(expected: string, given: unknown): Omit<Problem, 'path'> {
  if (given === undefined) return { message: 'is required' };
  const message = `must be ${TYPE_NAMES[expected] ?? expected}, not ${typeName(given)}`;
  const unquoted = expected === 'string' && (typeof given === 'number' || typeof given === 'boolean');
  return unquoted ? { message, remedy: 'put it in quotes' } : { message };
}

function typeName(value: unknown): string {
  if (value === null) return 'empty (null)';
  if (Array.isArray(value)) return 'a list';
  return TYPE_NAMES[typeof value] ?? typeof value;
}

function wrongValue(allowed: readonly string[], given: unknown): Omit<Problem, 'path'> {
  if (given === undefined) return { message: 'is required' };
  const message = `must be ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}`;
  const unquoted = typeof given === 'boolean' && allowed.includes(given ? 'True' : 'False');
  if (unquoted) return { message, remedy: 'put it in quotes' };
  const meant = typeof given === 'string' ? didYouMean(given, allowed) : undefined;
  return meant === undefined ? { message } : { message, remedy: `did you mean ${meant}?` };
}

function atLeast(origin: string, minimum: number): string {
  if (origin === 'string')
    return minimum === 1 ? 'must not be empty' : `must have at least ${String(minimum)} characters`;
  if (origin === 'array') return `must have at least ${minimum === 1 ? 'one entry' : `${String(minimum)} entries`}`;
  return `must be at least ${String(minimum)}`;
}

function atMost(origin: string, maximum: number): string {
  if (origin === 'string') return `must have at most ${String(maximum)} characters`;
  if (origin === 'array') return `must have at most ${String(maximum)} entries`;
  return `must be at most ${String(maximum)}`;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isRecord(value) ? value[String(key)] : undefined;
  }, root);
}
