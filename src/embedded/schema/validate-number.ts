import type { Schema, ValueConstraints } from '../model/schema.ts';
import { general, merged, problem, type ShapeResult, FINE, unfit } from './shape-result.ts';

const INT32_MAX = 2 ** 31 - 1;

/** Limits of a number, worded as kube-openapi. */
export function validateNumber(value: number, path: string, { constraints = {}, type, format }: Schema): ShapeResult {
  const { multipleOf } = constraints;
  const results: ShapeResult[] = [FINE];
  if (type === 'integer' && !fitsInteger(value, format)) {
    const kind = format === 'int32' || format === 'int64' ? `with format ${format}` : '(default format)';
    results.push(problem(general(`Checked value must be of type integer ${kind} in ${path}`)));
  }
  if (multipleOf !== undefined && !isMultiple(value, multipleOf)) {
    results.push(problem(unfit(path, value, `should be a multiple of ${written(multipleOf, value)}`)));
  }
  return merged([...results, validateMinimum(value, path, constraints), validateMaximum(value, path, constraints)]);
}

function validateMinimum(value: number, path: string, constraints: ValueConstraints): ShapeResult {
  const { minimum, exclusiveMinimum } = constraints;
  if (minimum === undefined || value > minimum || (value === minimum && exclusiveMinimum !== true)) return FINE;
  const than = exclusiveMinimum === true ? 'greater than' : 'greater than or equal to';
  return problem(unfit(path, value, `should be ${than} ${written(minimum, value)}`));
}

function validateMaximum(value: number, path: string, constraints: ValueConstraints): ShapeResult {
  const { maximum, exclusiveMaximum } = constraints;
  if (maximum === undefined || value < maximum || (value === maximum && exclusiveMaximum !== true)) return FINE;
  const than = exclusiveMaximum === true ? 'less than' : 'less than or equal to';
  return problem(unfit(path, value, `should be ${than} ${written(maximum, value)}`));
}

/** A limit is told as the number is: whole, or not. */
function written(limit: number, value: number): string {
  return Number.isInteger(value) ? String(Math.trunc(limit)) : goFloat(limit);
}

function fitsInteger(value: number, format: string | undefined): boolean {
  if (!Number.isInteger(value)) return false;
  if (format === 'int32') return value >= -INT32_MAX - 1 && value <= INT32_MAX;
  return Math.abs(value) <= 2 ** 63;
}

function isMultiple(value: number, factor: number): boolean {
  const quotient = value / factor;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}

/** As Go's %v writes a float64. */
export function goFloat(value: number): string {
  const exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)));
  if (exponent >= -4 && exponent < 21) return String(value);
  const [mantissa = '', power = ''] = value.toExponential().split('e');
  return `${mantissa}e${power.startsWith('-') ? '-' : '+'}${power.replace(/^[+-]/, '').padStart(2, '0')}`;
}
