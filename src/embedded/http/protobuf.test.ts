import { describe, expect, it } from 'vitest';
import { protobufDecoder } from './protobuf.ts';

/** One field of a message: its number and value, as protobuf writes them. */
function field(number: number, value: string | number | Buffer): Buffer {
  if (typeof value === 'number') return Buffer.concat([varint(number << 3), varint(value)]);
  const bytes = Buffer.from(value);
  return Buffer.concat([varint((number << 3) | 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  return Buffer.from([...bytes, rest]);
}

function body(apiVersion: string, kind: string, ...fields: readonly Buffer[]): Buffer {
  const typeMeta = Buffer.concat([field(1, apiVersion), field(2, kind)]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, typeMeta), field(2, Buffer.concat(fields)), field(4, '')]);
}

describe('an object in protobuf', () => {
  const decodeProtobuf = protobufDecoder();

  it('is read as a typed client wrote it: a record of helm', () => {
    const label = Buffer.concat([field(1, 'owner'), field(2, 'helm')]);
    const time = field(8, field(1, 1_767_225_600));
    const metadata = Buffer.concat([field(1, 'sh.helm.release.v1.web.v1'), field(3, 'shop'), time, field(11, label)]);
    const release = Buffer.concat([field(1, 'release'), field(2, 'H4sI')]);
    const read = decodeProtobuf(
      body('v1', 'Secret', field(1, metadata), field(2, release), field(3, 'helm.sh/release.v1'), field(5, 1)),
    );
    expect(read).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'sh.helm.release.v1.web.v1',
        namespace: 'shop',
        creationTimestamp: '2026-01-01T00:00:00Z',
        labels: { owner: 'helm' },
      },
      data: { release: Buffer.from('H4sI').toString('base64') },
      type: 'helm.sh/release.v1',
      immutable: true,
    });
  });

  it('has options of a deletion, and leaves out fields that nobody knows', () => {
    const preconditions = field(1, 'some-uid');
    const read = decodeProtobuf(
      body(
        'meta.k8s.io/v1',
        'DeleteOptions',
        field(1, 300),
        field(2, preconditions),
        field(4, 'Background'),
        field(99, 'x'),
      ),
    );
    expect(read).toMatchObject({
      gracePeriodSeconds: 300,
      preconditions: { uid: 'some-uid' },
      propagationPolicy: 'Background',
    });
    expect(Object.keys(read)).not.toContain('x');
  });

  it.each([
    ['not protobuf at all', Buffer.from('{}'), 'BadRequest'],
    ['cut off', body('v1', 'Secret', field(3, 'Opaque')).subarray(0, 20), 'BadRequest'],
    [
      'of a kind that is not taken like this',
      body('apiextensions.k8s.io/v1', 'CustomResourceDefinition'),
      'UnsupportedMediaType',
    ],
  ])('is refused where it is %s', (_what, bytes, reason) => {
    expect(() => decodeProtobuf(bytes)).toThrow(expect.objectContaining({ reason }));
  });
});
