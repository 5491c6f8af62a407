import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { asString, at } from '../../lib/json.ts';
import { notServed } from '../api/refusals.ts';
import type { Target } from '../model/api.ts';
import { StatusError } from '../model/status-error.ts';
import { type Answer, PAGE_NOT_FOUND, refusalAnswer, sendAnswer } from './answer.ts';
import { type Call, type Serving, trafficOf } from './call.ts';
import { documentAnswer } from './documents.ts';
import { objectAnswer } from './objects.ts';
import { routeOf } from './route.ts';
import { isWatch, serveWatch } from './watch-stream.ts';

export async function handle(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const url = new URL(request.url ?? '/', serving.url);
  const method = request.method ?? 'GET';
  const call: Call = { serving, request, response, method, path: url.pathname, query: url.searchParams };
  const answered = serving.traffic?.requested(trafficOf(call));
  try {
    await respond(call);
  } catch (error) {
    if (response.headersSent) throw error;
    sendAnswer(response, refusalAnswer(error));
  } finally {
    answered?.();
  }
}

async function respond(call: Call): Promise<void> {
  const { serving, request, response } = call;
  if (!isAuthorized(request, serving.token)) throw new StatusError('Unauthorized', 'Unauthorized');
  const answer = await answerTo(call);
  if (isWritten(call, answer)) await serving.traffic?.written({ ...trafficOf(call), created: createdBy(call, answer) });
  if (answer !== undefined) sendAnswer(response, answer);
}

function isWritten({ method, query }: Call, answer: Answer | undefined): boolean {
  return method !== 'GET' && !query.has('dryRun') && answer !== undefined && answer.status < 300;
}

function createdBy({ method }: Call, answer: Answer | undefined): string | undefined {
  return method === 'POST' ? asString(at(answer?.body, 'metadata', 'name')) : undefined;
}

/** Undefined: the answer is a stream that has begun. */
async function answerTo(call: Call): Promise<Answer | undefined> {
  const route = routeOf(call.path);
  if (route.type !== 'object') return documentAnswer(call, route);
  const { api } = call.serving;
  const resource = api.resource(route.target);
  if (resource === undefined) return unknownKind(call, route.target);
  const { subresource } = route.target;
  if (subresource !== undefined && !resource.subresources.includes(subresource)) throw notServed();
  if (isWatch(call, route.target)) {
    serveWatch(call, { target: route.target, resource });
    return undefined;
  }
  return objectAnswer(call, { target: route.target, resource });
}

/** Of a version that is served, or of the core group, the API server says so in its own way. */
function unknownKind({ serving }: Call, { group, version }: Target): Answer {
  const isKnown = serving.api.resources().some((own) => !own.custom && own.group === group && own.version === version);
  if (isKnown || group === '') throw notServed();
  return PAGE_NOT_FOUND;
}

function isAuthorized(request: IncomingMessage, token: string): boolean {
  const given = Buffer.from(request.headers.authorization ?? '');
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
