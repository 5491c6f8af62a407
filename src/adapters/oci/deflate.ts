import { MatchFinder } from './match-finder.ts';

/** Length and complement of a stored block without content. */
export const EMPTY_STORED_BLOCK: readonly number[] = [0, 0, 0xff, 0xff];

interface Code {
  readonly bits: number;
  readonly length: number;
}

function reversed(value: number, length: number): Code {
  let bits = 0;
  for (let bit = 0; bit < length; bit += 1) bits |= ((value >>> bit) & 1) << (length - 1 - bit);
  return { bits, length };
}

/** RFC 1951, 3.2.6. */
const SYMBOLS: readonly Code[] = Array.from({ length: 288 }, (_, symbol) => {
  if (symbol < 144) return reversed(0x30 + symbol, 8);
  if (symbol < 256) return reversed(0x190 + symbol - 144, 9);
  return symbol < 280 ? reversed(symbol - 256, 7) : reversed(0xc0 + symbol - 280, 8);
});
const END_OF_BLOCK = 256;
const FIRST_LENGTH = 257;
const LONGEST = 285;

function symbol(value: number): Code {
  const code = SYMBOLS[value];
  if (code === undefined) throw new RangeError(`deflate has no symbol ${String(value)}`);
  return code;
}

/** Some neighbouring numbers with one code; which of them it is, is written behind that. */
interface Range {
  readonly base: number;
  readonly extraBits: number;
  readonly code: Code;
}

/** RFC 1951, 3.2.5: lengths from 3 to 258. */
const LENGTHS = rangesByValue({ base: 3, free: 8, step: 4, end: 258 }, (index) => symbol(FIRST_LENGTH + index));
LENGTHS[258] = { base: 258, extraBits: 0, code: symbol(LONGEST) };
/** RFC 1951, 3.2.5: distances from 1 to 32768. */
const DISTANCES = rangesByValue({ base: 1, free: 4, step: 2, end: 32_769 }, (index) => reversed(index, 5));

interface Shape {
  readonly base: number;
  /** So many ranges have no extra bits; every `step` after them have one more. */
  readonly free: number;
  readonly step: number;
  readonly end: number;
}

function rangesByValue(shape: Shape, codeOf: (index: number) => Code): Range[] {
  const ranges: Range[] = [];
  for (let index = 0, base = shape.base; base < shape.end; index += 1) {
    const extraBits = index < shape.free ? 0 : Math.floor((index - shape.free) / shape.step) + 1;
    const range = { base, extraBits, code: codeOf(index) };
    base += 2 ** extraBits;
    for (let value = range.base; value < Math.min(base, shape.end); value += 1) ranges[value] = range;
  }
  return ranges;
}

class BitWriter {
  readonly #out: Buffer;
  #used = 0;
  #pending = 0;
  #pendingBits = 0;

  constructor(capacity: number) {
    this.#out = Buffer.alloc(capacity);
  }

  write(bits: number, length: number): void {
    this.#pending |= bits << this.#pendingBits;
    this.#pendingBits += length;
    while (this.#pendingBits >= 8) {
      this.#out[this.#used] = this.#pending & 0xff;
      this.#used += 1;
      this.#pending >>>= 8;
      this.#pendingBits -= 8;
    }
  }

  writeSymbol(value: number): void {
    const { bits, length } = symbol(value);
    this.write(bits, length);
  }

  writeIn(ranges: readonly Range[], value: number): void {
    const range = ranges[value];
    if (range === undefined) throw new RangeError(`deflate has no code for ${String(value)}`);
    this.write(range.code.bits, range.code.length);
    this.write(value - range.base, range.extraBits);
  }

  /** Ends on a full byte. */
  finish(bytes: readonly number[]): Buffer {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
    this.#out.set(bytes, this.#used);
    return this.#out.subarray(0, this.#used + bytes.length);
  }
}

/** One block with fixed codes, then an empty stored one, which fills up the last byte. */
export function deflateBlock(block: Buffer): Buffer {
  const out = new BitWriter(Math.ceil((block.length * 9) / 8) + 16);
  const matches = new MatchFinder(block);
  out.write(0b010, 3);
  for (let at = 0; at < block.length; ) {
    const match = matches.longestAt(at);
    if (match === undefined) {
      out.writeSymbol(block.readUInt8(at));
      at += 1;
    } else {
      out.writeIn(LENGTHS, match.length);
      out.writeIn(DISTANCES, match.distance);
      at += match.length;
    }
  }
  out.writeSymbol(END_OF_BLOCK);
  out.write(0, 3);
  return out.finish(EMPTY_STORED_BLOCK);
}
