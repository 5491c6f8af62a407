/** One field of a protobuf message: the number of a varint or fixed value, or the bytes of anything else. */
export interface ProtoField {
  readonly number: number;
  readonly value: number | Buffer;
}

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** The bytes are no protobuf message. */
export class ProtobufError extends Error {
  constructor() {
    super('proto: illegal wireType or unexpected EOF');
    this.name = 'ProtobufError';
  }
}

export function* readFields(bytes: Buffer): Iterable<ProtoField> {
  const reader = new Reader(bytes);
  while (!reader.isAtEnd()) {
    const tag = reader.varint();
    yield { number: Math.floor(tag / 8), value: reader.value(tag % 8) };
  }
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  value(type: number): number | Buffer {
    switch (type) {
      case VARINT:
        return this.varint();
      case FIXED64:
        return this.#take(8).readDoubleLE();
      case BYTES:
        return this.#take(this.varint());
      case FIXED32:
        return this.#take(4).readFloatLE();
      default:
        throw new ProtobufError();
    }
  }

  /** Negative numbers come as two's complements of 64 bits. */
  varint(): number {
    let result = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new ProtobufError();
      this.#at += 1;
      result |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return Number(BigInt.asIntN(64, result));
    }
    throw new ProtobufError();
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#bytes.length) throw new ProtobufError();
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}
