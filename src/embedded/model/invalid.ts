import { type StatusCause, StatusError } from './status-error.ts';

export interface InvalidObject {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** The answer to an object with these mistakes, worded as apimachinery's errors.NewInvalid. */
export function invalidObject({ group, kind, name }: InvalidObject, causes: readonly StatusCause[]): StatusError {
  const problems = causes.map(({ field, message }) => (field === undefined ? message : `${field}: ${message}`));
  const qualified = group === '' ? kind : `${kind}.${group}`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(group === '' ? {} : { group }),
    ...(kind === '' ? {} : { kind }),
    causes,
  };
  return new StatusError('Invalid', `${qualified} "${name}" is invalid: ${aggregate(problems)}`, details);
}

/** As apimachinery joins errors: each text once, several in brackets. */
function aggregate(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  const [first] = distinct;
  return distinct.length === 1 && first !== undefined ? first : `[${distinct.join(', ')}]`;
}
