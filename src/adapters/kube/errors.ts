import { type Doing, type Failure, failureError, failureOf } from '../../api/kube-failure.ts';
import type { KubepkgError } from '../../api/errors.ts';
import { asNumber, asString, at } from '../../lib/json.ts';

export type { Doing } from '../../api/kube-failure.ts';

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** The error that an answer with a failing status stands for. */
export function refusalError(doing: Doing, refusal: Refusal): KubepkgError {
  const failure = parseFailure(refusal);
  return failureError(doing, failure, retryAfter(refusal, failure));
}

/** The error that a Status object inside a watch stands for. */
export function statusError(doing: Doing, status: unknown): KubepkgError {
  const failure = failureOf(status, asNumber(at(status, 'code')) ?? 500);
  return failureError(doing, failure, seconds(at(failure.details, 'retryAfterSeconds')));
}

/** True when the answer means that the path itself is unknown, not that one object is missing. */
export function isUnknownPath(refusal: Refusal): boolean {
  return refusal.status === 404 && asString(at(parseFailure(refusal).details, 'name')) === undefined;
}

function parseFailure(refusal: Refusal): Failure {
  try {
    const body: unknown = JSON.parse(refusal.body);
    if (asString(at(body, 'kind')) === 'Status') return failureOf(body, refusal.status);
  } catch {
    // Not JSON: a proxy or an unknown path answered, and its text is the message.
  }
  const text = refusal.body.trim().slice(0, 300);
  return { code: refusal.status, reason: '', message: `HTTP ${String(refusal.status)} ${text}`.trim(), details: {} };
}

function retryAfter(refusal: Refusal, failure: Failure): number | undefined {
  const header = refusal.headers['retry-after'];
  return (
    seconds(typeof header === 'string' ? Number(header) : undefined) ??
    seconds(at(failure.details, 'retryAfterSeconds'))
  );
}

function seconds(value: unknown): number | undefined {
  const number = asNumber(value);
  return number === undefined || !Number.isFinite(number) || number <= 0 ? undefined : number * 1000;
}
