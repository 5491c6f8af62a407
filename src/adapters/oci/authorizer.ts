import { KubepkgError } from '../../api/errors.ts';
import { asString, at } from '../../lib/json.ts';
import { readSmallBody } from './body.ts';
import type { Credential, CredentialStore } from './docker-config.ts';
import { discard, type HttpRequest, type HttpResponse, type Transport } from './transport.ts';

/** What a request is allowed to do, and where: tokens are kept apart by it. */
export interface Access {
  readonly host: string;
  readonly repository: string;
  readonly actions: 'pull' | 'pull,push';
}

interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: Readonly<Record<string, string>>;
}

interface AuthorizerOptions {
  readonly transport: Transport;
  readonly credentials: CredentialStore;
  /** Secrets may travel unencrypted. */
  readonly plainHttp: boolean;
}

const TOKEN_LIMIT = 1024 * 1024;

/**
 * Sends requests with the credentials that a host asks for. A header that worked is used again; when it is refused,
 * be it that a token expired or that a secret was rotated, the credentials are read afresh, once per request (F88).
 */
export class Authorizer {
  readonly #options: AuthorizerOptions;
  readonly #headers = new Map<string, string>();

  constructor(options: AuthorizerOptions) {
    this.#options = options;
  }

  async send(request: HttpRequest, access: Access): Promise<HttpResponse> {
    const { transport } = this.#options;
    const key = `${request.url.origin} ${access.repository} ${access.actions}`;
    const first = await transport.send(withAuthorization(request, this.#headers.get(key)));
    if (first.status !== 401) return first;
    discard(first);
    if (first.url.origin !== request.url.origin) {
      // Whoever it redirects to must not choose where the credentials go.
      throw unauthorized(request, `it redirects to ${first.url.host}, which asks for credentials`);
    }
    const header = await this.#answer(challengesOf(first), access, request);
    if (header === undefined) throw unauthorized(request, 'it asks for credentials, and there are none for it');
    const second = await transport.send(withAuthorization(request, header));
    if (second.status === 401) {
      discard(second);
      throw unauthorized(request, 'it did not accept the credentials');
    }
    this.#headers.set(key, header);
    return second;
  }

  async #answer(challenges: readonly Challenge[], access: Access, request: HttpRequest): Promise<string | undefined> {
    const credential = await this.#options.credentials.find(access.host, access.repository, request.signal);
    const bearer = challenges.find((challenge) => challenge.scheme === 'bearer');
    if (bearer !== undefined) return `Bearer ${await this.#fetchToken(bearer, { credential, access, request })}`;
    if (credential?.kind !== 'basic' || challenges.length === 0) return undefined;
    this.#refuseClearText(request.url, request);
    return basicHeader(credential);
  }

  async #fetchToken(
    challenge: Challenge,
    context: { credential: Credential | undefined; access: Access; request: HttpRequest },
  ): Promise<string> {
    const { credential, access, request } = context;
    const realm = challenge.parameters['realm'] ?? '';
    if (!URL.canParse(realm)) throw unauthorized(request, 'it names no usable token service');
    const url = new URL(realm);
    if (credential !== undefined) this.#refuseClearText(url, request);
    const scope = challenge.parameters['scope'] ?? `repository:${access.repository}:${access.actions}`;
    const query = { scope, ...pick(challenge.parameters, 'service') };
    const response = await this.#options.transport.send({
      ...tokenRequest(url, query, credential),
      subject: request.subject,
      signal: request.signal,
    });
    const body = await readSmallBody(response, request, TOKEN_LIMIT);
    if (response.status >= 500 || response.status === 429) {
      throw new KubepkgError('RegistryUnreachable', `${request.subject}: token service ${statusOf(response)}`);
    }
    if (response.status !== 200) throw unauthorized(request, `its token service ${statusOf(response)}`);
    return parseToken(body, request);
  }

  #refuseClearText(url: URL, request: HttpRequest): void {
    if (url.protocol === 'https:' || this.#options.plainHttp) return;
    throw unauthorized(request, `credentials would be sent to ${url.host} unencrypted`);
  }
}

function tokenRequest(
  url: URL,
  query: Readonly<Record<string, string>>,
  credential: Credential | undefined,
): Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body'> {
  if (credential?.kind === 'identityToken') {
    const form = { grant_type: 'refresh_token', refresh_token: credential.token, client_id: 'kubepkg', ...query };
    const body = Buffer.from(new URLSearchParams(form).toString());
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(body.length),
    };
    return { method: 'POST', url, headers, body: () => body };
  }
  const target = new URL(url);
  for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
  const headers = credential === undefined ? {} : { authorization: basicHeader(credential) };
  return { method: 'GET', url: target, headers };
}

function parseToken(body: Buffer, request: HttpRequest): string {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw unauthorized(request, 'its token service answered with something that is not JSON');
  }
  const token = asString(at(value, 'token')) ?? asString(at(value, 'access_token'));
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw unauthorized(request, 'its token service answered without a token');
  }
  return token;
}

const CHALLENGE = /(?:^|,)\s*(basic|bearer)(?=\s|,|$)/gi;
const PARAMETER = /([a-z_]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/gi;

function challengesOf(response: HttpResponse): readonly Challenge[] {
  const header = response.headers['www-authenticate'] ?? '';
  const starts = [...header.matchAll(CHALLENGE)];
  return starts.map((start, index) => {
    const text = header.slice(start.index, starts[index + 1]?.index).slice(start[0].length);
    const parameters = [...text.matchAll(PARAMETER)].map(([, name = '', quoted, bare]) => {
      return [name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? bare ?? ''] as const;
    });
    return {
      scheme: start[1]?.toLowerCase() === 'basic' ? 'basic' : 'bearer',
      parameters: Object.fromEntries(parameters),
    };
  });
}

function basicHeader(credential: Extract<Credential, { kind: 'basic' }>): string {
  return `Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`;
}

function withAuthorization(request: HttpRequest, authorization: string | undefined): HttpRequest {
  return authorization === undefined ? request : { ...request, headers: { ...request.headers, authorization } };
}

function pick(parameters: Readonly<Record<string, string>>, name: string): Readonly<Record<string, string>> {
  const value = parameters[name];
  return value === undefined ? {} : { [name]: value };
}

function statusOf(response: HttpResponse): string {
  return `of ${response.url.host} answered with ${String(response.status)}`;
}

function unauthorized(request: HttpRequest, problem: string): KubepkgError {
  return new KubepkgError('RegistryUnauthorized', `${request.subject}: ${request.url.host}: ${problem}`, {
    hint: 'log in to the registry, or check the registry credentials file',
  });
}
