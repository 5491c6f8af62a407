import { invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { isLabelKey } from '../../schema/names.ts';
import { parseQuantity } from '../quantity.ts';
import { type Causes, mapAt, named, shown } from './kit.ts';

const STANDARD = ['cpu', 'memory', 'ephemeral-storage'];
const MUST_BE = 'must be greater than or equal to 0';

/** Requests and limits of a container. */
export function validateResources(resources: unknown, path: string): Causes {
  const limits = mapAt(resources, 'limits');
  const requests = mapAt(resources, 'requests');
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => resourceProblems(name, amount, `${path}.limits`)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...resourceProblems(name, amount, `${path}.requests`),
      ...exceeding(name, amount, { limits, path: `${path}.requests` }),
    ]),
    ...missingLimits(limits, requests, path),
  ];
}

function resourceProblems(name: string, amount: unknown, path: string): Causes {
  const place = `${path}[${name}]`;
  return [...nameProblems(name, place), ...amountProblems(name, amount, place)];
}

function nameProblems(name: string, place: string): Causes {
  const malformed = named(name, place, isLabelKey);
  if (malformed.length > 0 || name.includes('/') || isStandard(name)) return malformed;
  return [
    invalidValue(place, name, 'must be a standard resource type or fully qualified'),
    invalidValue(place, name, 'must be a standard resource for containers'),
  ];
}

function isStandard(name: string): boolean {
  return STANDARD.includes(name) || name.startsWith('hugepages-');
}

function amountProblems(name: string, amount: unknown, place: string): Causes {
  const nanos = nanosOf(amount);
  if (nanos < 0n) return [invalidValue(place, amount, MUST_BE)];
  const isWhole = isStandard(name) || !name.includes('/') || nanos % 1_000_000_000n === 0n;
  return isWhole ? [] : [invalidValue(place, amount, 'must be an integer')];
}

function exceeding(name: string, amount: unknown, { limits, path }: { limits: JsonMap; path: string }): Causes {
  const limit = limits[name];
  if (limit === undefined) return [];
  const isStrict = !STANDARD.includes(name);
  const [asked, most] = [nanosOf(amount), nanosOf(limit)];
  if (isStrict && asked !== most) {
    return [invalidValue(path, amount, `must be equal to ${name} limit of ${shown(limit)}`)];
  }
  return asked > most
    ? [invalidValue(path, amount, `must be less than or equal to ${name} limit of ${shown(limit)}`)]
    : [];
}

/** What cannot be lent twice needs a limit. */
function missingLimits(limits: JsonMap, requests: JsonMap, path: string): Causes {
  return Object.keys(requests)
    .filter((name) => !STANDARD.includes(name) && name.includes('/') && limits[name] === undefined)
    .map(() => required(`${path}.limits`, 'Limit must be set for non overcommitable resources'));
}

export function nanosOf(amount: unknown): bigint {
  return parseQuantity(String(amount))?.nanos ?? 0n;
}
