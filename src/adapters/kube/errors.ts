import { type ErrorCode, KubepkgError } from '../../api/errors.ts';
import { asArray, asNumber, asString, at } from '../../lib/json.ts';

/** What was asked, for messages: `create ConfigMap a/b`. */
export interface Doing {
  readonly what: string;
  /** The object holds secret values: what the server quotes of it is not repeated. */
  readonly secret?: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

/** A `Status` object, of whatever shape it came. */
interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: unknown;
}

interface Verdict {
  readonly code: ErrorCode;
  readonly hint?: string;
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

function failureError(doing: Doing, failure: Failure, retryAfterMs: number | undefined): KubepkgError {
  const verdict = classify(failure);
  const message = `cannot ${doing.what}: ${doing.secret === true ? withoutValues(failure) : failure.message}`;
  return new KubepkgError(verdict.code, message, {
    ...(verdict.hint === undefined ? {} : { hint: verdict.hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
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

function failureOf(status: unknown, code: number): Failure {
  return {
    code,
    reason: asString(at(status, 'reason')) ?? '',
    message: asString(at(status, 'message')) ?? `HTTP ${String(code)}`,
    details: at(status, 'details'),
  };
}

/** Validation messages quote the value at fault; the field and the kind of fault are enough. */
function withoutValues(failure: Failure): string {
  if (failure.code !== 400 && failure.code !== 422) return failure.message;
  const causes = asArray(at(failure.details, 'causes')).map(
    (cause) => `${asString(at(cause, 'field')) ?? 'object'}: ${asString(at(cause, 'reason')) ?? 'invalid'}`,
  );
  return causes.length === 0 ? 'the API server refused it as invalid' : causes.join(', ');
}

const BY_STATUS: Readonly<Record<number, (failure: Failure) => Verdict>> = {
  400: () => ({ code: 'ApiInvalid' }),
  401: () => ({
    code: 'ApiUnauthorized',
    hint: 'the credentials are missing, expired or not known to this cluster: renew them, or choose another context',
  }),
  403: classifyForbidden,
  404: () => ({ code: 'ApiNotFound' }),
  405: () => ({ code: 'Unsupported', hint: 'the API server does not offer that operation for this kind' }),
  409: classifyConflict,
  410: () => ({ code: 'ApiExpired' }),
  413: () => ({ code: 'ApiInvalid', hint: 'the object is too large for the API server' }),
  415: () => ({ code: 'ApiInvalid' }),
  422: () => ({ code: 'ApiInvalid' }),
  429: () => ({ code: 'ApiThrottled' }),
  504: () => ({ code: 'ApiTimeout' }),
};

function classify(failure: Failure): Verdict {
  const known = BY_STATUS[failure.code];
  if (known !== undefined) return known(failure);
  if (failure.code < 500) return { code: 'ApiInvalid' };
  return classifyServerError(failure);
}

function classifyForbidden(failure: Failure): Verdict {
  if (isNamespaceTerminating(failure)) {
    return { code: 'NamespaceTerminating', hint: 'wait until the namespace is gone; it is then made again' };
  }
  if (/exceeded quota/.test(failure.message)) {
    return { code: 'ApiForbidden', hint: 'raise the ResourceQuota of the namespace, or free some of it' };
  }
  if (/admission webhook .* denied/.test(failure.message) || /ValidatingAdmissionPolicy/.test(failure.message)) {
    return { code: 'ApiForbidden', hint: 'a policy of this cluster refuses it: change the object or the policy' };
  }
  return { code: 'ApiForbidden', hint: 'grant the permission to this user or service account by RBAC' };
}

function isNamespaceTerminating(failure: Failure): boolean {
  const causes = asArray(at(failure.details, 'causes'));
  return (
    causes.some((cause) => at(cause, 'reason') === 'NamespaceTerminating') ||
    /because it is being terminated/.test(failure.message)
  );
}

function classifyConflict(failure: Failure): Verdict {
  // An object that is still being deleted makes room for the new one by itself.
  if (/object is being deleted/.test(failure.message)) return { code: 'ApiConflict' };
  if (failure.reason === 'AlreadyExists') return { code: 'ApiAlreadyExists' };
  return { code: 'ApiConflict' };
}

function classifyServerError(failure: Failure): Verdict {
  if (/fail(ed|ure)? (to )?call(ing)? webhook|conversion webhook for .* failed/.test(failure.message)) {
    return {
      code: 'WebhookNotAnswering',
      hint: "see that the webhook's pods are ready, or remove its webhook configuration",
    };
  }
  if (failure.reason === 'Timeout') return { code: 'ApiTimeout' };
  return { code: 'ApiServerError' };
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
