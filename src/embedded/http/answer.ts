import type { ServerResponse } from 'node:http';
import type { JsonMap } from '../model/object.ts';
import { StatusError } from '../model/status-error.ts';

/** What goes back for a request that is answered at once. */
export interface Answer {
  readonly status: number;
  readonly body: JsonMap | string;
  readonly type?: string;
  readonly warnings?: readonly string[];
}

export function jsonAnswer(body: JsonMap, status = 200): Answer {
  return { status, body };
}

export function textAnswer(body: string, status = 200): Answer {
  return { status, body, type: 'text/plain; charset=utf-8' };
}

/** What the API server says of paths that it does not know at all. */
export const PAGE_NOT_FOUND: Answer = textAnswer('404 page not found\n', 404);

/** The answer that an error stands for; one that is no refusal is a fault of this server. */
export function refusalAnswer(error: unknown): Answer {
  if (error instanceof StatusError) return jsonAnswer(error.toJson(), error.code);
  const message = error instanceof Error ? error.message : String(error);
  return refusalAnswer(new StatusError('InternalError', `Internal error occurred: ${message}`));
}

export function sendAnswer(response: ServerResponse, { status, body, type, warnings = [] }: Answer): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.statusCode = status;
  response.setHeader('Content-Type', type ?? 'application/json');
  response.setHeader('Cache-Control', 'no-cache, private');
  response.setHeader('Content-Length', Buffer.byteLength(text));
  if (warnings.length > 0) response.setHeader('Warning', warnings.map(warningHeader));
  response.end(text);
}

function warningHeader(text: string): string {
  return `299 - ${JSON.stringify(text)}`;
}
