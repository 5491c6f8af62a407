/**
 * Gzip whose bytes never change. What zlib writes differs between its versions and between processors, and so would a
 * digest of it; here the content is stored as it is, in blocks of the largest size that RFC 1951, 3.2.4, has.
 */
const BLOCK_BYTES = 65_535;
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const EMPTY_LAST_BLOCK = [1, 0, 0, 0xff, 0xff];

export async function* gzip(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  yield HEADER;
  let crc = 0xffff_ffff;
  let sizeBytes = 0;
  for await (const block of blocksOf(source)) {
    crc = crc32(crc, block);
    sizeBytes += block.length;
    yield stored(block);
  }
  const trailer = Buffer.alloc(13);
  trailer.set(EMPTY_LAST_BLOCK);
  trailer.writeUInt32LE(~crc >>> 0, 5);
  trailer.writeUInt32LE(sizeBytes % 2 ** 32, 9);
  yield trailer;
}

/** Behind its length and the complement of that. */
function stored(block: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.writeUInt16LE(block.length, 1);
  header.writeUInt16LE(0xffff - block.length, 3);
  return Buffer.concat([header, block]);
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
