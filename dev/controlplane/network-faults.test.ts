import { describe, expect, it } from 'vitest';
import { networkFaultIn, patiently } from './network-faults.ts';

const MODULE = 'example.org/x/y@v1.2.3';
const URL = 'https://proxy.example.org/x/y/@v/v1.2.3.zip';

describe('a fault of the network', () => {
  it.each([
    [`main.go:4:2: ${MODULE}: Get "${URL}": net/http: TLS handshake timeout`, 'TLS handshake timeout'],
    [
      `go: ${MODULE}: read "${URL}": read tcp 10.0.0.2:4->10.0.0.3:443: read: connection reset by peer`,
      'connection reset',
    ],
    [`go: ${MODULE}: Get "${URL}": dial tcp 10.0.0.3:443: connect: connection refused`, 'connection refused'],
    [`go: ${MODULE}: Get "${URL}": dial tcp 10.0.0.3:443: connect: network is unreachable`, 'unreachable'],
    [`go: ${MODULE}: read "${URL}": unexpected EOF\n`, 'connection lost'],
    [`go: downloading ${MODULE}\n${MODULE}: Get "${URL}": EOF`, 'connection lost'],
    [`${MODULE}: stream error: read "${URL}": stream error: stream ID 5; INTERNAL_ERROR`, 'broken HTTP/2 stream'],
    [`${MODULE}: Get "${URL}": dial tcp: lookup proxy.example.org: i/o timeout`, 'timeout'],
    [
      `${MODULE}: Get "${URL}": dial tcp: lookup proxy.example.org on 10.0.0.1:53: server misbehaving`,
      'name not resolved for now',
    ],
    [`${MODULE}: reading ${URL}: 502 Bad Gateway`, 'server error'],
    [`${MODULE}: verifying module: reading https://sum.example.org/x: 500 Internal Server Error`, 'server error'],
    [`${MODULE}: reading ${URL}: 429 Too Many Requests`, 'too many requests'],
    [`{"Path": "x", "Error": "reading ${URL}: 503 Service Unavailable"}`, 'server error'],
    ['npm error code ECONNRESET\nnpm error network aborted', 'connection reset'],
    ['npm error network request to https://registry.example.org/x failed, reason: socket hang up', 'connection reset'],
    ['npm ERR! code ETIMEDOUT', 'timeout'],
    ['npm error code ERR_SOCKET_TIMEOUT', 'timeout'],
    ['npm error code EAI_AGAIN', 'name not resolved for now'],
    ['npm error code E503\nnpm error 503 Service Unavailable - GET https://registry.example.org/x', 'server error'],
    ['npm error code ECONNREFUSED', 'connection refused'],
  ])('is seen in: %s', (output, name) => {
    expect(networkFaultIn(output)).toBe(name);
  });

  it.each([
    'x/y.go:1:2: undefined: z',
    'x/y.go:9:1: syntax error: unexpected EOF, expecting }',
    'x/timeout.go:9:1: cannot use "i/o timeout" (untyped string constant) as error value',
    '# example.org/x\n/usr/bin/ld: final link failed: No space left on device',
    `${MODULE}: reading ${URL}: 404 Not Found`,
    `${MODULE}: reading ${URL}: 403 Forbidden`,
    `verifying ${MODULE}: checksum mismatch`,
    `go: ${MODULE}: Get "${URL}": dial tcp: lookup proxy.example.org: no such host`,
    'signal: killed',
    'npm error code E404\nnpm error 404 Not Found - GET https://registry.example.org/x',
    'npm error code EINTEGRITY',
    'npm error code ENOSPC',
    '',
  ])('is not seen in: %s', (output) => {
    expect(networkFaultIn(output)).toBeUndefined();
  });
});

describe('a step that may be done again', () => {
  const BROKEN = { code: 1, output: `reading ${URL}: 502 Bad Gateway` };

  async function attempts(...ends: readonly { readonly code: number; readonly output: string }[]) {
    const said: string[] = [];
    let runs = 0;
    const run = () => Promise.resolve(ends[Math.min(runs++, ends.length - 1)] ?? BROKEN);
    const { code } = await patiently(run, { pausesMs: [0, 1, 2], say: (text) => said.push(text) });
    return { runs, code, said };
  }

  it('is done again after a fault of the network, and says so', async () => {
    const said = ['server error; again in 0 s (1 of 3)', 'server error; again in 0.001 s (2 of 3)'];
    expect(await attempts(BROKEN, BROKEN, { code: 0, output: '' })).toEqual({ runs: 3, code: 0, said });
  });

  it('is given up when it goes on', async () => {
    expect(await attempts(BROKEN)).toMatchObject({ runs: 4, code: 1 });
  });

  it.each([
    ['it has succeeded', { code: 0, output: BROKEN.output }],
    ['it failed for another reason', { code: 1, output: 'x/y.go:1:2: undefined: z' }],
  ])('is done once when %s', async (_when, end) => {
    expect(await attempts(end)).toEqual({ runs: 1, code: end.code, said: [] });
  });
});
