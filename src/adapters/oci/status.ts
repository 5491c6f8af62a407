import { KubepkgError } from '../../api/errors.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { HttpRequest, HttpResponse } from './transport.ts';

/** The error of an answer that is none of the expected ones. */
export function refuseStatus(response: HttpResponse, request: HttpRequest, body: Buffer): KubepkgError {
  const { status } = response;
  const said = `${request.subject}: ${response.url.host} answered with ${String(status)}${explanationIn(body)}`;
  if (status === 404) {
    return new KubepkgError('ArtifactNotFound', said, {
      hint: 'check name and version, and that the credentials may read it',
    });
  }
  if (status === 401 || status === 403) {
    return new KubepkgError('RegistryUnauthorized', said, { hint: 'check that the credentials allow this' });
  }
  const retryAfterMs = retryAfterOf(response);
  return new KubepkgError('RegistryUnreachable', said, {
    hint: status >= 500 || status === 429 ? 'the registry is overloaded or broken' : 'check that it is a registry',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** What a registry says in its own error format; nothing of any other page. */
function explanationIn(body: Buffer): string {
  try {
    const first = asArray(at(JSON.parse(body.toString('utf8')), 'errors'))[0];
    const text = [asString(at(first, 'code')), asString(at(first, 'message'))].filter((part) => part !== undefined);
    return text.length === 0
      ? ''
      : ` (${text
          .join(': ')
          .slice(0, 200)
          .replaceAll(/[^\x20-\x7e]/g, ' ')})`;
  } catch {
    return '';
  }
}

function retryAfterOf(response: HttpResponse): number | undefined {
  const header = response.headers['retry-after'];
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : undefined;
}
