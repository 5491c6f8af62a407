/**
 * Gzip whose bytes never change. What zlib writes differs between its versions and between processors, and so would a
 * digest of it; here the content is stored as it is, in blocks of the largest size that RFC 1951, 3.2.4, has.
 */
const BLOCK_BYTES = 65_535;
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

export async function* gzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  yield HEADER;
  let crc = 0xffff_ffff;
  let sizeBytes = 0;
  for await (const block of blocksOf(source)) {
    crc = crc32(crc, block);
    sizeBytes += block.length;
    yield Buffer.concat([blockHeader({ last: false, sizeBytes: block.length }), block]);
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(~crc >>> 0, 0);
  trailer.writeUInt32LE(sizeBytes % 2 ** 32, 4);
  yield Buffer.concat([blockHeader({ last: true, sizeBytes: 0 }), trailer]);
}

function blockHeader({ last, sizeBytes }: { readonly last: boolean; readonly sizeBytes: number }): Buffer {
  const header = Buffer.from([last ? 1 : 0, 0, 0, 0, 0]);
  header.writeUInt16LE(sizeBytes, 1);
  header.writeUInt16LE(0xffff - sizeBytes, 3);
  return header;
}

/** The same bytes cut at the same places, however they arrive. */
async function* blocksOf(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let block = Buffer.alloc(BLOCK_BYTES);
  let filled = 0;
  for await (const chunk of source) {
    let taken = 0;
    while (taken < chunk.length) {
      const part = chunk.subarray(taken, taken + BLOCK_BYTES - filled);
      block.set(part, filled);
      taken += part.length;
      filled += part.length;
      if (filled < BLOCK_BYTES) continue;
      yield block;
      block = Buffer.alloc(BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield block.subarray(0, filled);
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb8_8320 : crc >>> 1;
  return crc;
});

function crc32(start: number, data: Uint8Array): number {
  let crc = start;
  for (const byte of data) crc = (CRC_TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8);
  return crc;
}
