import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../ports/system.ts';
import type { EmbeddedApi } from '../model/api.ts';
import type { Traffic, TrafficRequest } from '../model/traffic.ts';
import type { DecodeProtobuf } from './protobuf.ts';

export interface Serving {
  readonly api: EmbeddedApi;
  readonly clock: Clock;
  readonly token: string;
  readonly url: string;
  /** Ends every stream. */
  readonly closing: AbortSignal;
  readonly traffic?: Traffic;
  readonly decodeProtobuf: DecodeProtobuf;
}

/** One request, from its path and headers to its answer. */
export interface Call {
  readonly serving: Serving;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
}

export function trafficOf({ method, request }: Call): TrafficRequest {
  return { method, path: request.url ?? '/', userAgent: request.headers['user-agent'] ?? '' };
}
