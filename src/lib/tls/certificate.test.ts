import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createAuthority } from './certificate.ts';

const authority = createAuthority('test authority', Date.now());
const served = authority.issue('server');
const certificate = new X509Certificate(served.certificate);

async function handshake(host: string, ca: string): Promise<TLSSocket> {
  const server = createServer({ key: served.key, cert: served.certificate }, (socket) => {
    socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', servername: host === '127.0.0.1' ? '' : host, ca });
  try {
    await once(socket, 'secureConnect');
    return socket;
  } finally {
    socket.destroy();
    server.close();
  }
}

describe('an authority', () => {
  it('signs itself and may sign others', () => {
    const own = new X509Certificate(authority.certificate);
    expect(own.ca).toBe(true);
    expect(own.verify(own.publicKey)).toBe(true);
    expect(own.subject).toBe('CN=test authority');
  });

  it('issues a certificate that carries its signature and its name', () => {
    const own = new X509Certificate(authority.certificate);
    expect(certificate.verify(own.publicKey)).toBe(true);
    expect(certificate.checkIssued(own)).toBe(true);
    expect(certificate.ca).toBe(false);
  });

  it('issues a key that belongs to the certificate', () => {
    expect(certificate.checkPrivateKey(createPrivateKey(served.key))).toBe(true);
  });

  it('issues for the loopback only', () => {
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('example.org')).toBeUndefined();
  });

  it('issues certificates that are valid now', () => {
    expect(Date.parse(certificate.validFrom)).toBeLessThan(Date.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(Date.now() + 86_400_000);
  });

  it('gives every certificate a serial number of its own', () => {
    const serials = Array.from(
      { length: 50 },
      () => new X509Certificate(authority.issue('x').certificate).serialNumber,
    );
    expect(new Set(serials).size).toBe(50);
  });

  it.each(['localhost', '127.0.0.1'])('is believed by a TLS client at %s', async (host) => {
    expect((await handshake(host, authority.certificate)).authorized).toBe(true);
  });

  it('is not believed by a client of another authority', async () => {
    await expect(handshake('localhost', createAuthority('other', Date.now()).certificate)).rejects.toThrow();
  });
});
