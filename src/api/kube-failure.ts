import { type ErrorCode, KubepkgError } from './errors.ts';
import { asArray, asString, at } from '../lib/json.ts';

/** What was asked, for messages: `create ConfigMap a/b`. */
export interface Doing {
  readonly what: string;
  /** The object holds secret values: what the server quotes of it is not repeated. */
  readonly secret?: boolean;
}

/** A `Status` object, of whatever shape it came. */
export interface Failure {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly details: unknown;
}

interface Verdict {
  readonly code: ErrorCode;
  readonly hint?: string;
}

/** The error that a refusal of an API server stands for. */
export function failureError(doing: Doing, failure: Failure, retryAfterMs: number | undefined): KubepkgError {
  const verdict = classify(failure);
  const message = `cannot ${doing.what}: ${doing.secret === true ? withoutValues(failure) : failure.message}`;
  return new KubepkgError(verdict.code, message, {
    ...(verdict.hint === undefined ? {} : { hint: verdict.hint }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** A Status object as a failure; `code` when it states none. */
export function failureOf(status: unknown, code: number): Failure {
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
