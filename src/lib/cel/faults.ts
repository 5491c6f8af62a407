import type { CelValue } from './values.ts';

/** Why there is no value. */
export interface Fault {
  readonly kind: 'fault';
  /** `missing`: a field that is not there; `budget`: too much work, which no other operand can make good. */
  readonly reason: 'missing' | 'error' | 'budget';
  /** For `missing`, the path of the field as the expression writes it. */
  readonly message: string;
}

export type Result = CelValue | Fault;

export function fault(message: string): Fault {
  return { kind: 'fault', reason: 'error', message };
}

export function missing(path: string): Fault {
  return { kind: 'fault', reason: 'missing', message: path };
}

export const OUT_OF_BUDGET: Fault = {
  kind: 'fault',
  reason: 'budget',
  message: 'evaluating it takes too much work; make it simpler, or look at a smaller part of the object',
};

export function isFault(result: Result | undefined): result is Fault {
  return typeof result === 'object' && result !== null && result.kind === 'fault';
}

/** Counts work, so that no expression can hold up the rest. */
export interface Meter {
  readonly spend: (units: number) => void;
  readonly isEmpty: () => boolean;
}

export function createMeter(limit: number): Meter {
  let left = limit;
  return {
    spend: (units) => {
      left -= units;
    },
    isEmpty: () => left < 0,
  };
}
