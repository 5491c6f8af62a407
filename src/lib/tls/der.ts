/** The few ASN.1 forms that a certificate is written in. */
export const INTEGER = 0x02;
export const BIT_STRING = 0x03;
export const OCTET_STRING = 0x04;
export const UTF8_STRING = 0x0c;
export const UTC_TIME = 0x17;
export const SEQUENCE = 0x30;
export const SET = 0x31;

export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body), body]);
}

function lengthOf(body: Buffer): Buffer {
  if (body.length < 0x80) return Buffer.from([body.length]);
  const bytes: number[] = [];
  for (let rest = body.length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 + bytes.length, ...bytes]);
}

export const sequence = (...content: readonly Buffer[]): Buffer => der(SEQUENCE, ...content);

export const boolean = (value: boolean): Buffer => der(0x01, Buffer.from([value ? 0xff : 0]));

export const bitString = (bits: Buffer, unused = 0): Buffer => der(BIT_STRING, Buffer.from([unused]), bits);

export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): readonly number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(128 + (rest % 128));
  return bytes;
}

export function utcTime(time: Date): Buffer {
  const digits = time.toISOString().replace(/[-:T]/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}
