/** An IPv4 or IPv6 address as one number. */
export interface Address {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-fA-F]{1,4}$/;
const GROUPS = 8;

/** As Go's netip reads it, but without zones; undefined where it is none. */
export function parseAddress(text: string): Address | undefined {
  if (text.length > 45) return undefined;
  const value = text.includes(':') ? parseV6(text) : parseV4(text);
  return value === undefined ? undefined : { bits: text.includes(':') ? 128 : 32, value };
}

function parseV4(text: string): bigint | undefined {
  const octets = text.split('.');
  if (octets.length !== 4 || !octets.every((octet) => OCTET.test(octet) && Number(octet) < 256)) return undefined;
  return octets.reduce((sum, octet) => sum * 256n + BigInt(octet), 0n);
}

function parseV6(text: string): bigint | undefined {
  const plain = withoutV4(text);
  const halves = plain?.split('::') ?? [];
  if (halves.length < 1 || halves.length > 2) return undefined;
  const [front = [], back = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = GROUPS - front.length - back.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...front, ...Array.from({ length: missing }, () => '0'), ...back];
  return groups.every((group) => GROUP.test(group))
    ? groups.reduce((sum, group) => sum * 65_536n + BigInt(`0x${group}`), 0n)
    : undefined;
}

/** The last four bytes may be written as IPv4. */
function withoutV4(text: string): string | undefined {
  if (!text.includes('.')) return text;
  const start = text.lastIndexOf(':') + 1;
  const value = parseV4(text.slice(start));
  if (value === undefined) return undefined;
  return `${text.slice(0, start)}${(value >> 16n).toString(16)}:${(value & 0xffffn).toString(16)}`;
}

/** `::ffff:1.2.3.4`. */
export function isMapped({ bits, value }: Address): boolean {
  return bits === 128 && value >> 32n === 0xffffn;
}

/** The canonical text. */
export function formatAddress({ bits, value }: Address): string {
  if (bits === 32) return [24n, 16n, 8n, 0n].map((shift) => String((value >> shift) & 0xffn)).join('.');
  const groups = Array.from({ length: GROUPS }, (_, index) => (value >> BigInt(112 - index * 16)) & 0xffffn);
  const [start, length] = longestZeros(groups);
  const texts = groups.map((group) => group.toString(16));
  if (length < 2) return texts.join(':');
  return `${texts.slice(0, start).join(':')}::${texts.slice(start + length).join(':')}`;
}

/** Where the first of the longest runs of zeros begins, and how long it is. */
function longestZeros(groups: readonly bigint[]): readonly [start: number, length: number] {
  let [best, length, run] = [0, 0, 0];
  for (const [index, group] of groups.entries()) {
    run = group === 0n ? run + 1 : 0;
    if (run > length) [best, length] = [index - run + 1, run];
  }
  return [best, length];
}

/** Whether an address is in the range of another that shares so many of its first bits. */
export function isWithin(address: Address, range: Address, bits: number): boolean {
  const shift = BigInt(range.bits - bits);
  return address.bits === range.bits && address.value >> shift === range.value >> shift;
}
