import type { KubeObject } from '../../../src/api/kube.ts';

type Fields = ReadonlyMap<number, readonly Buffer[]>;

const MAGIC = Buffer.from('k8s\0', 'latin1');
const VARINT = 0;
const BYTES = 2;

/** Helm sends its records as protobuf; of a Secret no more is read than a record has. */
export function decodeSecret(body: Buffer): KubeObject | undefined {
  if (!body.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const envelope = fieldsOf(body.subarray(MAGIC.length));
  const secret = fieldsOf(first(envelope, 2));
  const metadata = fieldsOf(first(secret, 1));
  const data = entriesOf(secret, 2).map(([key, value]) => [key, value.toString('base64')] as const);
  const labels = entriesOf(metadata, 11).map(([key, value]) => [key, value.toString('utf8')] as const);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: first(metadata, 1).toString('utf8'), labels: Object.fromEntries(labels) },
    type: first(secret, 3).toString('utf8'),
    data: Object.fromEntries(data),
  };
}

function entriesOf(message: Fields, field: number): readonly (readonly [string, Buffer])[] {
  return (message.get(field) ?? []).map((bytes) => {
    const entry = fieldsOf(bytes);
    return [first(entry, 1).toString('utf8'), first(entry, 2)] as const;
  });
}

function first(message: Fields, field: number): Buffer {
  return message.get(field)?.[0] ?? Buffer.alloc(0);
}

/** The length-delimited fields of a message, by number; numbers are passed over. */
function fieldsOf(message: Buffer): Fields {
  const fields = new Map<number, Buffer[]>();
  for (let offset = 0; offset < message.length; ) {
    const tag = varint(message, offset);
    const wire = tag.value & 7;
    const value = varint(message, tag.next);
    if (wire === VARINT) {
      offset = value.next;
    } else if (wire === BYTES) {
      const end = value.next + value.value;
      const field = tag.value >> 3;
      fields.set(field, [...(fields.get(field) ?? []), message.subarray(value.next, end)]);
      offset = end;
    } else {
      throw new Error(`protobuf field of wire type ${String(wire)}`);
    }
  }
  return fields;
}

/** Of lengths and tags alone, which stay below 2^31. */
function varint(message: Buffer, offset: number): { readonly value: number; readonly next: number } {
  let [value, shift, next] = [0, 0, offset];
  for (let byte = 0x80; byte >= 0x80; next += 1) {
    byte = message[next] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    shift += 7;
  }
  return { value, next };
}
