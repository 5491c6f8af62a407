import { Agent, request as httpsRequest } from 'node:https';
import { at } from '../../../src/lib/json.ts';
import { USER_AGENT } from './embedded-side.ts';
import type { Side, WireAnswer, WireRequest } from './request.ts';

export interface RealAccess {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
}

export interface RealSide extends Side {
  close(): void;
}

export function createRealSide(access: RealAccess): RealSide {
  const agent = new Agent({ keepAlive: true, maxSockets: 16, ca: access.ca });
  return {
    send: (request) => send(access, agent, request),
    events: (collection, resourceVersion, last) => events({ access, agent, collection, resourceVersion }, last),
    close: () => {
      agent.destroy();
    },
  };
}

function headersFor(access: RealAccess, type: string): Readonly<Record<string, string>> {
  return {
    authorization: `Bearer ${access.token}`,
    accept: 'application/json',
    'user-agent': USER_AGENT,
    ...(type === '' ? {} : { 'content-type': type }),
  };
}

function send(access: RealAccess, agent: Agent, { method, path, type, body }: WireRequest): Promise<WireAnswer> {
  // Node sends a DELETE without a length in a way that the server cannot read.
  const length = { 'content-length': String(Buffer.byteLength(body ?? '')) };
  return new Promise((resolve, reject) => {
    const options = { agent, method, headers: { ...headersFor(access, type), ...length } };
    const outgoing = httpsRequest(new URL(path, access.url), options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: response.statusCode ?? 0,
          body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
          warnings: warningsOf(response.headers.warning),
        });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** Node joins headers of one name with commas. */
function warningsOf(header: string | undefined): readonly string[] {
  return header === undefined ? [] : header.split(/, (?=299 - )/);
}

interface Watching {
  readonly access: RealAccess;
  readonly agent: Agent;
  readonly collection: string;
  readonly resourceVersion: string;
}

function events({ access, agent, collection, resourceVersion }: Watching, last: string): Promise<readonly unknown[]> {
  const url = new URL(`${collection}?watch=true&resourceVersion=${resourceVersion}&timeoutSeconds=20`, access.url);
  return new Promise((resolve, reject) => {
    const found: unknown[] = [];
    const outgoing = httpsRequest(url, { agent, headers: headersFor(access, '') }, (response) => {
      let rest = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const event: unknown = JSON.parse(line);
          if (at(event, 'object', 'metadata', 'name') === last) {
            resolve(found);
            outgoing.destroy();
            return;
          }
          found.push(event);
        }
      });
      response.on('end', () => {
        resolve([...found, 'the marker did not come']);
      });
      response.on('error', () => {
        resolve(found);
      });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}
