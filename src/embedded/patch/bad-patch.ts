import { StatusError } from '../model/status-error.ts';

/** A patch that is well formed and cannot be carried out: the API server does not say why. */
export function unprocessable(): StatusError {
  return new StatusError('Invalid', 'the server rejected our request due to an error in our request', {});
}

/** A patch that is malformed. */
export function badRequest(message: string): StatusError {
  return new StatusError('BadRequest', message);
}

/** A patch that the API server fails on. */
export function failure(message: string): StatusError {
  return new StatusError('', message);
}
