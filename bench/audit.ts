import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** One request to the API server; times are milliseconds since the epoch, with their fractions. */
export interface AuditRequest {
  readonly verb: string;
  readonly uri: string;
  readonly user: string;
  readonly agent: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly received: number;
  /** When it was answered; of a watch: when it began. */
  readonly answered: number;
  /** A watch that has begun, not one that has ended. */
  readonly isBegun: boolean;
}

interface AuditLine {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
  readonly user: { readonly username: string };
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
}

/** In the order of their arrival. */
export async function readAudit(file: string): Promise<readonly AuditRequest[]> {
  const requests: AuditRequest[] = [];
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY });
  for await (const line of lines) if (line !== '') requests.push(requestOf(JSON.parse(line) as AuditLine));
  return requests.sort((a, b) => a.received - b.received);
}

function requestOf(line: AuditLine): AuditRequest {
  const { resource = '', subresource = '', namespace = '', name = '' } = line.objectRef ?? {};
  return {
    verb: line.verb,
    uri: line.requestURI,
    user: line.user.username,
    agent: line.userAgent ?? '',
    resource,
    subresource,
    namespace,
    name,
    received: momentOf(line.requestReceivedTimestamp),
    answered: momentOf(line.stageTimestamp),
    isBegun: line.stage === 'ResponseStarted',
  };
}

/** The clock of `Date` ends at milliseconds; the log goes on to microseconds. */
function momentOf(timestamp: string): number {
  const [, whole = '', micros = '0'] = /^(.*\.\d{3})(\d{3})Z$/.exec(timestamp) ?? [];
  return Date.parse(`${whole}Z`) + Number(micros) / 1000;
}

export function isHelm({ agent }: AuditRequest): boolean {
  return agent.startsWith('Helm/');
}

export function isWrite({ verb }: AuditRequest): boolean {
  return !['get', 'list', 'watch'].includes(verb);
}
