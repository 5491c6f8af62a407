import { invalidObject } from '../model/invalid.ts';
import type { GroupResource } from '../model/resource.ts';
import { type StatusCause, type StatusDetails, StatusError } from '../model/status-error.ts';

/** `deployments.apps`, `pods`: how messages of the API server name a kind. */
export function qualified({ group, plural }: GroupResource): string {
  return group === '' ? plural : `${plural}.${group}`;
}

/** The path itself is not served. */
export function notServed(): StatusError {
  return new StatusError('NotFound', 'the server could not find the requested resource', {});
}

export function notFound(kind: GroupResource, name: string): StatusError {
  return new StatusError('NotFound', `${qualified(kind)} "${name}" not found`, detailsOf(kind, name));
}

export function alreadyExists(kind: GroupResource, name: string): StatusError {
  return new StatusError('AlreadyExists', `${qualified(kind)} "${name}" already exists`, detailsOf(kind, name));
}

export function conflict(kind: GroupResource, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(kind)} "${name}": ${why}`;
  return new StatusError('Conflict', message, detailsOf(kind, name));
}

export function modified(kind: GroupResource, name: string): StatusError {
  return conflict(
    kind,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function forbidden(
  kind: GroupResource,
  name: string,
  options: { readonly why: string; readonly causes?: readonly StatusCause[] },
): StatusError {
  const subject = name === '' ? qualified(kind) : `${qualified(kind)} "${name}"`;
  const details = detailsOf(kind, name);
  return new StatusError(
    'Forbidden',
    `${subject} is forbidden: ${options.why}`,
    options.causes === undefined ? details : { ...details, causes: options.causes },
  );
}

export function badRequest(message: string): StatusError {
  return new StatusError('BadRequest', message);
}

export function methodNotAllowed(): StatusError {
  return new StatusError('MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

export function expired(message: string, next?: string): StatusError {
  return new StatusError('Expired', message, next === undefined ? undefined : { continue: next });
}

export function invalid(
  { group, kind }: { readonly group: string; readonly kind: string },
  name: string,
  causes: readonly StatusCause[],
): StatusError {
  return invalidObject({ group, kind, name }, causes);
}

function detailsOf({ group, plural }: GroupResource, name: string): StatusDetails {
  return { ...(name === '' ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural };
}
