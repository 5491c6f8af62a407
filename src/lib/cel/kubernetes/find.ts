import { type Meter, type Result } from '../faults.ts';
import { findTexts } from '../functions/regex.ts';
import { method, type Overload } from '../overload.ts';
import { INT, list, STRING } from '../types.ts';
import { listOf } from '../values.ts';

const STRINGS = list(STRING);

function find(text: string, pattern: string, meter: Meter): Result {
  const found = findTexts(text, pattern, [1n, meter]);
  return 'kind' in found ? found : (found[0] ?? '');
}

function findAll(text: string, pattern: string, rest: readonly [bigint, Meter]): Result {
  const found = findTexts(text, pattern, rest);
  return 'kind' in found ? found : listOf(found);
}

export const FIND_FUNCTIONS: readonly Overload[] = [
  method('find', [[STRING, STRING], STRING], ([text, pattern], meter) => find(text, pattern, meter)),
  method('findAll', [[STRING, STRING], STRINGS], ([text, pattern], meter) => findAll(text, pattern, [-1n, meter])),
  method('findAll', [[STRING, STRING, INT], STRINGS], ([text, pattern, most], meter) =>
    findAll(text, pattern, [most, meter]),
  ),
];
