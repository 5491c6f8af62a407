import { describe, expect, it } from 'vitest';
import { statusBody } from '../../../test/fakes/scripted-api-server.ts';
import type { ErrorCode } from '../../api/errors.ts';
import { isUnknownPath, type Refusal, refusalError, statusError } from './errors.ts';

function refusal(
  code: number,
  parts: Readonly<Record<string, unknown>> = {},
  headers: Refusal['headers'] = {},
): Refusal {
  return { status: code, headers, body: JSON.stringify(statusBody(code, parts)) };
}

const DOING = { what: 'create ConfigMap a/b' };

describe('an answer with a failing status', () => {
  it.each<readonly [string, number, Readonly<Record<string, unknown>>, ErrorCode]>([
    ['bad request', 400, { reason: 'BadRequest' }, 'ApiInvalid'],
    ['unauthorized', 401, { reason: 'Unauthorized' }, 'ApiUnauthorized'],
    ['forbidden', 403, { reason: 'Forbidden' }, 'ApiForbidden'],
    [
      'exceeded quota',
      403,
      { reason: 'Forbidden', message: 'pods "x" is forbidden: exceeded quota: q' },
      'ApiForbidden',
    ],
    ['denied by a webhook', 403, { message: 'admission webhook "w" denied the request: no' }, 'ApiForbidden'],
    [
      'terminating namespace, by its cause',
      403,
      { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
      'NamespaceTerminating',
    ],
    [
      'terminating namespace, by its text',
      403,
      { message: 'unable to create new content in namespace a because it is being terminated' },
      'NamespaceTerminating',
    ],
    ['not found', 404, { reason: 'NotFound', details: { name: 'a', kind: 'namespaces' } }, 'ApiNotFound'],
    ['method not allowed', 405, { reason: 'MethodNotAllowed' }, 'Unsupported'],
    ['already exists', 409, { reason: 'AlreadyExists' }, 'ApiAlreadyExists'],
    ['conflict', 409, { reason: 'Conflict' }, 'ApiConflict'],
    [
      'still being deleted',
      409,
      { reason: 'AlreadyExists', message: 'object is being deleted: configmaps "b" already exists' },
      'ApiConflict',
    ],
    ['gone', 410, { reason: 'Expired' }, 'ApiExpired'],
    ['too large', 413, { reason: 'RequestEntityTooLarge' }, 'ApiInvalid'],
    ['unsupported media type', 415, { reason: 'UnsupportedMediaType' }, 'ApiInvalid'],
    ['unprocessable', 422, { reason: 'Invalid' }, 'ApiInvalid'],
    ['too many requests', 429, { reason: 'TooManyRequests' }, 'ApiThrottled'],
    ['another client error', 418, {}, 'ApiInvalid'],
    ['internal error', 500, { reason: 'InternalError' }, 'ApiServerError'],
    ['timeout as an internal error', 500, { reason: 'Timeout' }, 'ApiTimeout'],
    [
      'webhook without endpoints',
      500,
      {
        message:
          'Internal error occurred: failed calling webhook "w.x": failed to call webhook: Post "https://w.x.svc:443/m": no endpoints available for service "w"',
      },
      'WebhookNotAnswering',
    ],
    [
      'webhook that refuses the connection',
      500,
      {
        message:
          'Internal error occurred: failed calling webhook "w": Post "https://…": dial tcp: connect: connection refused',
      },
      'WebhookNotAnswering',
    ],
    [
      'conversion webhook',
      500,
      { message: 'conversion webhook for x.dev/v1, Kind=X failed: Post "https://…": context deadline exceeded' },
      'WebhookNotAnswering',
    ],
    ['unavailable', 503, { reason: 'ServiceUnavailable' }, 'ApiServerError'],
    ['gateway timeout', 504, { reason: 'Timeout' }, 'ApiTimeout'],
  ])('is classed: %s', (_name, code, parts, expected) => {
    const error = refusalError(DOING, refusal(code, parts));
    expect(error.code).toBe(expected);
    expect(error.message).toMatch(/^cannot create ConfigMap a\/b: /);
  });

  it.each([
    ['the header', refusal(429, {}, { 'retry-after': '7' }), 7000],
    ['the details', refusal(503, { details: { retryAfterSeconds: 3 } }), 3000],
    [
      'the header before the details',
      refusal(429, { details: { retryAfterSeconds: 3 } }, { 'retry-after': '1' }),
      1000,
    ],
    ['neither', refusal(429), undefined],
    [
      'a date, which is not understood',
      refusal(429, {}, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
      undefined,
    ],
    ['zero', refusal(429, {}, { 'retry-after': '0' }), undefined],
  ])('says by %s how long to wait', (_name, answer, expected) => {
    expect(refusalError(DOING, answer).retryAfterMs).toBe(expected);
  });

  it.each([
    ['plain text', 'upstream connect error', 'HTTP 503 upstream connect error'],
    ['nothing', '', 'HTTP 503'],
    ['JSON of another kind', '{"kind":"Pod"}', 'HTTP 503 {"kind":"Pod"}'],
  ])('may be %s', (_name, body, expected) => {
    expect(refusalError(DOING, { status: 503, headers: {}, body }).message).toContain(expected);
  });

  it.each([
    [
      'with causes',
      [{ field: 'data', reason: 'FieldValueInvalid', message: 'Invalid value: "hunter2"' }],
      'data: FieldValueInvalid',
    ],
    ['without causes', undefined, 'invalid'],
  ])('about a Secret never quotes a value, %s', (_name, causes, expected) => {
    const answer = refusal(422, { message: 'data: Invalid value: "hunter2"', details: { causes } });
    const { message } = refusalError({ what: 'create Secret a/b', secret: true }, answer);
    expect(message).not.toContain('hunter2');
    expect(message).toContain(expected);
  });

  it('about a Secret still says who was missing a permission', () => {
    const answer = refusal(403, { message: 'User "u" cannot create resource "secrets"' });
    expect(refusalError({ what: 'create Secret a/b', secret: true }, answer).message).toContain(
      'cannot create resource',
    );
  });
});

describe('a Status inside a watch', () => {
  it.each([
    [statusBody(410), 'ApiExpired'],
    [statusBody(500), 'ApiServerError'],
    [{}, 'ApiServerError'],
  ])('%j is %s', (status, code) => {
    expect(statusError(DOING, status).code).toBe(code);
  });
});

describe('a 404', () => {
  it.each([
    ['names the object that is missing', refusal(404, { reason: 'NotFound', details: { name: 'b' } }), false],
    ['names nothing: the path is unknown', refusal(404, { reason: 'NotFound', details: {} }), true],
    ['is plain text: the path is unknown', { status: 404, headers: {}, body: '404 page not found\n' }, true],
    ['is none', refusal(403), false],
  ])('%s', (_name, answer, expected) => {
    expect(isUnknownPath(answer)).toBe(expected);
  });
});
