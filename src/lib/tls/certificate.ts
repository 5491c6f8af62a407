import type { KeyObject } from 'node:crypto';
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import {
  bitString,
  boolean,
  der,
  INTEGER,
  objectId,
  OCTET_STRING,
  sequence,
  SET,
  utcTime,
  UTF8_STRING,
} from './der.ts';

/** Certificates without openssl, which a bare machine need not have. Good for loopback and for a day. */
export interface KeyAndCertificate {
  readonly key: string;
  readonly certificate: string;
}

export interface Authority extends KeyAndCertificate {
  readonly issue: (name: string) => KeyAndCertificate;
}

const DAY_MS = 86_400_000;
const SIGNATURE = sequence(objectId('1.2.840.10045.4.3.2'));
const VERSION_3 = der(0xa0, der(INTEGER, Buffer.from([2])));

interface Request {
  readonly subject: string;
  readonly issuer: string;
  readonly now: number;
  readonly publicKey: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Buffer[];
}

/** A new authority that can issue serving certificates for 127.0.0.1, ::1 and localhost; `now` in milliseconds. */
export function createAuthority(name: string, now: number): Authority {
  const keys = newKeys();
  const own = createCertificate({
    subject: name,
    issuer: name,
    now,
    publicKey: keys.publicKey,
    signer: keys.privateKey,
    extensions: authorityExtensions(),
  });
  return {
    key: pemOfKey(keys.privateKey),
    certificate: own,
    issue: (subject) => issue(subject, { issuer: name, now, signer: keys.privateKey }),
  };
}

function issue(subject: string, by: Pick<Request, 'issuer' | 'now' | 'signer'>): KeyAndCertificate {
  const keys = newKeys();
  const extensions = servingExtensions();
  const certificate = createCertificate({ ...by, subject, publicKey: keys.publicKey, extensions });
  return { key: pemOfKey(keys.privateKey), certificate };
}

function newKeys(): { publicKey: KeyObject; privateKey: KeyObject } {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
}

function pemOfKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

function createCertificate(request: Request): string {
  const body = sequence(
    VERSION_3,
    der(INTEGER, positiveSerial()),
    SIGNATURE,
    distinguishedName(request.issuer),
    // Clocks of machines that share a folder differ a little.
    sequence(utcTime(new Date(request.now - DAY_MS)), utcTime(new Date(request.now + 30 * DAY_MS))),
    distinguishedName(request.subject),
    request.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...request.extensions)),
  );
  return pem(sequence(body, SIGNATURE, bitString(sign('sha256', body, request.signer))));
}

// The highest bit is clear, or the number would be negative; the next is set, or it could start with a zero byte.
function positiveSerial(): Buffer {
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  return serial;
}

function distinguishedName(commonName: string): Buffer {
  return sequence(der(SET, sequence(objectId('2.5.4.3'), der(UTF8_STRING, Buffer.from(commonName)))));
}

function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(objectId(id), ...(critical ? [boolean(true)] : []), der(OCTET_STRING, value));
}

function authorityExtensions(): readonly Buffer[] {
  return [
    extension('2.5.29.19', true, sequence(boolean(true))),
    extension('2.5.29.15', true, bitString(Buffer.from([0b0000_0110]), 1)),
  ];
}

function servingExtensions(): readonly Buffer[] {
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.concat([Buffer.alloc(15), Buffer.from([1])])),
  );
  return [
    extension('2.5.29.19', true, sequence()),
    extension('2.5.29.15', true, bitString(Buffer.from([0b1000_0000]), 7)),
    extension('2.5.29.37', false, sequence(objectId('1.3.6.1.5.5.7.3.1'))),
    extension('2.5.29.17', false, names),
  ];
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').replace(/(.{64})(?=.)/g, '$1\n');
  return `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`;
}
