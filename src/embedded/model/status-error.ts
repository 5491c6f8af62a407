import type { JsonMap } from './object.ts';

/** `reason` of a metav1.Status; the HTTP code goes with it. */
export type StatusReason =
  | 'BadRequest'
  | 'Unauthorized'
  | 'Forbidden'
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Gone'
  | 'Expired'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NotAcceptable'
  | 'UnsupportedMediaType'
  | 'RequestEntityTooLarge'
  | 'TooManyRequests'
  | 'ServiceUnavailable'
  | 'Timeout'
  | 'InternalError'
  /** Errors that the API server answers as they are: 500, and no `reason`. */
  | '';

export const STATUS_CODES: Readonly<Record<StatusReason, number>> = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Gone: 410,
  Expired: 410,
  Invalid: 422,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  UnsupportedMediaType: 415,
  RequestEntityTooLarge: 413,
  TooManyRequests: 429,
  ServiceUnavailable: 503,
  Timeout: 504,
  InternalError: 500,
  '': 500,
};

export interface StatusCause {
  /** Causes of internal errors have none. */
  readonly reason?: string;
  readonly message: string;
  readonly field?: string;
}

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly StatusCause[];
  readonly retryAfterSeconds?: number;
  /** Of a list whose moment is forgotten: the token to go on with nevertheless. Stands in the metadata of the answer. */
  readonly continue?: string;
}

/** What the API server answers instead of an object. */
export class StatusError extends Error {
  readonly reason: StatusReason;
  readonly details: StatusDetails | undefined;

  constructor(reason: StatusReason, message: string, details?: StatusDetails) {
    super(message);
    this.name = 'StatusError';
    this.reason = reason;
    this.details = details;
  }

  get code(): number {
    return STATUS_CODES[this.reason];
  }

  toJson(): JsonMap {
    const { continue: token, ...details } = this.details ?? {};
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: token === undefined ? {} : { continue: token },
      status: 'Failure',
      message: this.message,
      ...(this.reason === '' ? {} : { reason: this.reason }),
      ...(this.details === undefined || token !== undefined ? {} : { details }),
      code: this.code,
    };
  }
}
