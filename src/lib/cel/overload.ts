import type { Meter, Result } from './faults.ts';
import type { CelType, Kind } from './types.ts';
import type { CelValue } from './values.ts';

type ValuesOf<K extends readonly Kind[]> = {
  -readonly [I in keyof K]: K[I] extends Kind<infer T> ? T : never;
};

/** One signature of a function or operator, and what it does. */
export interface Overload {
  readonly name: string;
  /** Whether the first argument is written before the name. */
  readonly method: boolean;
  readonly params: readonly Kind[];
  readonly result: CelType;
  /** Only for arguments that are of the kinds of `params`. */
  readonly run: (args: readonly CelValue[], meter: Meter) => Result;
}

interface Signature<K extends readonly Kind[]> {
  readonly name: string;
  readonly params: readonly [...K];
  readonly result: Kind;
}

type Run<K extends readonly Kind[]> = (args: ValuesOf<K>, meter: Meter) => Result;

/** A function, `name(args)`, or an operator. */
export function func<K extends readonly Kind[]>(
  name: string,
  [params, result]: readonly [readonly [...K], Kind],
  run: Run<K>,
): Overload {
  return overload({ name, params, result }, false, run);
}

/** A method, `first.name(others)`. */
export function method<K extends readonly Kind[]>(
  name: string,
  [params, result]: readonly [readonly [...K], Kind],
  run: Run<K>,
): Overload {
  return overload({ name, params, result }, true, run);
}

function overload<K extends readonly Kind[]>(
  { name, params, result }: Signature<K>,
  isMethod: boolean,
  run: Run<K>,
): Overload {
  return {
    name,
    method: isMethod,
    params,
    result: result.type,
    run: (args, meter) => run(args as ValuesOf<K>, meter),
  };
}
