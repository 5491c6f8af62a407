import { request } from 'node:https';

export interface ApiAccess {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
}

export interface ApiResponse {
  readonly status: number;
  readonly body: string;
}

const TIMEOUT_MS = 10_000;

/** One request to the API server; only a broken connection is an error. */
export function callApi(access: ApiAccess, call: ApiRequest): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    const outgoing = request(new URL(call.path, access.url), {
      method: call.method ?? 'GET',
      ca: access.ca,
      // A kept connection would hold up the server's shutdown and the program's end.
      agent: false,
      timeout: TIMEOUT_MS,
      headers: {
        authorization: `Bearer ${access.token}`,
        'content-type': call.contentType ?? 'application/json',
        ...(call.accept === undefined ? {} : { accept: call.accept }),
        'user-agent': 'kubepkg-controlplane',
      },
    });
    outgoing.on('timeout', () =>
      outgoing.destroy(new Error(`No answer to ${call.path} within ${String(TIMEOUT_MS)} ms.`)),
    );
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, body });
      });
    });
    outgoing.end(call.body === undefined ? undefined : JSON.stringify(call.body));
  });
}

/** Makes the object or brings it to this. Server-side, because the largest definitions exceed what an annotation holds. */
export async function applyObject(access: ApiAccess, path: string, object: object): Promise<void> {
  await mustCallApi(access, {
    method: 'PATCH',
    path: `${path}?fieldManager=kubepkg-controlplane&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: object,
  });
}

/** As callApi, but any answer other than success is an error. */
export async function mustCallApi(access: ApiAccess, call: ApiRequest): Promise<unknown> {
  const { status, body } = await callApi(access, call);
  if (status < 200 || status > 299) {
    throw new Error(`${call.method ?? 'GET'} ${call.path} was answered with ${String(status)}: ${body.slice(0, 500)}`);
  }
  return JSON.parse(body) as unknown;
}
