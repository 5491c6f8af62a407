import { setTimeout as delay } from 'node:timers/promises';

interface NetworkFault {
  /** For the reader, who may know of a bad line. */
  readonly name: string;
  readonly pattern: RegExp;
}

/** On a line of an address or a socket: a compiler, too, comes upon an unexpected EOF. */
function onTheWay(words: string): RegExp {
  return new RegExp(String.raw`(?:https?:\/\/|\b(?:tcp|udp)\b)[^\n]*(?:${words})`);
}

/**
 * How Go and npm say that a download broke off, which the next one may not. What is refused, missing or not as its
 * checksum says stays so.
 */
export const NETWORK_FAULTS: readonly NetworkFault[] = [
  { name: 'TLS handshake timeout', pattern: onTheWay('TLS handshake timeout') },
  { name: 'connection reset', pattern: onTheWay('connection reset by peer|broken pipe') },
  { name: 'connection refused', pattern: onTheWay('connect: connection refused') },
  { name: 'unreachable', pattern: onTheWay('network is unreachable|no route to host') },
  { name: 'connection lost', pattern: onTheWay('\\bEOF\\b|server closed idle connection|client connection lost') },
  { name: 'broken HTTP/2 stream', pattern: onTheWay('stream error: |GOAWAY') },
  { name: 'timeout', pattern: onTheWay('i/o timeout|Client\\.Timeout|context deadline exceeded|connection timed out') },
  { name: 'name not resolved for now', pattern: onTheWay('Temporary failure in name resolution|server misbehaving') },
  { name: 'server error', pattern: onTheWay(': 5\\d\\d [A-Z]') },
  { name: 'too many requests', pattern: onTheWay(': 429 [A-Z]') },
  { name: 'connection reset', pattern: /^npm (?:error|ERR!).*(?:ECONNRESET|EPIPE|socket hang up)/m },
  { name: 'connection refused', pattern: /^npm (?:error|ERR!) (?:code|errno) ECONNREFUSED/m },
  { name: 'unreachable', pattern: /^npm (?:error|ERR!) (?:code|errno) (?:ENETUNREACH|EHOSTUNREACH)/m },
  { name: 'timeout', pattern: /^npm (?:error|ERR!).*(?:ETIMEDOUT|ESOCKETTIMEDOUT|ERR_SOCKET_TIMEOUT)/m },
  { name: 'name not resolved for now', pattern: /^npm (?:error|ERR!) (?:code|errno) EAI_AGAIN/m },
  { name: 'server error', pattern: /^npm (?:error|ERR!) (?:code E5\d\d|5\d\d )/m },
  { name: 'too many requests', pattern: /^npm (?:error|ERR!) (?:code E429|429 )/m },
];

/** The name of the fault of the network that a program's output shows; undefined: it failed for another reason. */
export function networkFaultIn(output: string): string | undefined {
  return NETWORK_FAULTS.find(({ pattern }) => pattern.test(output))?.name;
}

/** How often a step that the network broke is done again, and who is told. */
export interface Patience {
  /** Before each repetition. */
  readonly pausesMs: readonly number[];
  readonly say: (text: string) => void;
}

export const PAUSES_MS: readonly number[] = [2000, 8000, 30_000];

interface Ended {
  readonly code: number;
  /** All that it wrote. */
  readonly output: string;
}

/** Runs a program again as long as the network alone is to blame, and pauses are left. */
export async function patiently<T extends Ended>(run: () => Promise<T>, { pausesMs, say }: Patience): Promise<T> {
  for (const [index, pauseMs] of pausesMs.entries()) {
    const ended = await run();
    const fault = ended.code === 0 ? undefined : networkFaultIn(ended.output);
    if (fault === undefined) return ended;
    say(`${fault}; again in ${String(pauseMs / 1000)} s (${String(index + 1)} of ${String(pausesMs.length)})`);
    await delay(pauseMs);
  }
  return run();
}
