import { type Fault, fault, isFault, type Result } from '../faults.ts';
import { func, method, type Overload } from '../overload.ts';
import { BOOL, INT, opaque, STRING } from '../types.ts';
import type { CelOpaque } from '../values.ts';
import { type Address, formatAddress, isMapped, isWithin, parseAddress } from './address.ts';

interface CelIp extends CelOpaque {
  readonly type: 'net.IP';
  readonly address: Address;
}

interface CelCidr extends CelOpaque {
  readonly type: 'net.CIDR';
  /** With the bits beyond the prefix. */
  readonly address: Address;
  readonly prefix: number;
}

const IP = opaque<CelIp>('net.IP');
const CIDR = opaque<CelCidr>('net.CIDR');

function ipOf(address: Address): CelIp {
  return { kind: 'opaque', type: 'net.IP', key: formatAddress(address), address };
}

function cidrOf(address: Address, prefix: number): CelCidr {
  return { kind: 'opaque', type: 'net.CIDR', key: `${formatAddress(address)}/${String(prefix)}`, address, prefix };
}

function parseIp(text: string): CelIp | Fault {
  const quoted = JSON.stringify(text);
  const address = parseAddress(text);
  if (address === undefined) {
    return fault(
      `IP Address ${quoted} parse error during conversion from string: ParseAddr(${quoted}): unable to parse IP`,
    );
  }
  return isMapped(address) ? fault(`IPv4-mapped IPv6 address ${quoted} is not allowed`) : ipOf(address);
}

const PARSE_ERROR = 'network address parse error during conversion from string';

function parseCidr(text: string): CelCidr | Fault {
  const quoted = JSON.stringify(text);
  const slash = text.lastIndexOf('/');
  const address = slash < 0 ? undefined : parseAddress(text.slice(0, slash));
  const failed = `${PARSE_ERROR}: ${PARSE_ERROR}: netip.ParsePrefix(${quoted})`;
  if (slash < 0) return fault(`${failed}: no '/'`);
  if (address === undefined) return fault(`${failed}: unable to parse IP`);
  const bits = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d*)$/.test(bits)) return fault(`${failed}: bad bits after slash: ${JSON.stringify(bits)}`);
  if (Number(bits) > address.bits) return fault(`${failed}: prefix length out of range`);
  if (isMapped(address)) return fault(`${PARSE_ERROR}: IPv4-mapped IPv6 address ${quoted} is not allowed`);
  return cidrOf(address, Number(bits));
}

function range(text: string): (address: Address) => boolean {
  const cidr = parseCidr(text);
  return (address) => !isFault(cidr) && isWithin(address, cidr.address, cidr.prefix);
}

type Test = (address: Address) => boolean;

const IS_UNSPECIFIED: Test = ({ value }) => value === 0n;
const IS_LOOPBACK = anyOf([range('127.0.0.0/8'), range('::1/128')]);
/** Of IPv6, whatever the flags in front of the scope. */
const IS_LINK_LOCAL_MULTICAST = anyOf([
  range('224.0.0.0/24'),
  ({ bits, value }) => bits === 128 && ((value >> 112n) & 0xff0fn) === 0xff02n,
]);
const IS_LINK_LOCAL_UNICAST = anyOf([range('169.254.0.0/16'), range('fe80::/10')]);
const IS_NOT_GLOBAL_UNICAST = anyOf([
  IS_UNSPECIFIED,
  IS_LOOPBACK,
  IS_LINK_LOCAL_UNICAST,
  range('224.0.0.0/4'),
  range('ff00::/8'),
  range('255.255.255.255/32'),
]);

function anyOf(tests: readonly Test[]): Test {
  return (address) => tests.some((test) => test(address));
}

function masked({ address, prefix }: CelCidr): CelCidr {
  const shift = BigInt(address.bits - prefix);
  return cidrOf({ bits: address.bits, value: (address.value >> shift) << shift }, prefix);
}

function containsIp({ address, prefix }: CelCidr, ip: CelIp | Fault): Result {
  return isFault(ip) ? ip : isWithin(ip.address, address, prefix);
}

function containsCidr({ address, prefix }: CelCidr, other: CelCidr | Fault): Result {
  return isFault(other) ? other : prefix <= other.prefix && isWithin(other.address, address, prefix);
}

function isCanonical(text: string): Result {
  const ip = parseIp(text);
  return isFault(ip) ? ip : ip.key === text;
}

export const IP_FUNCTIONS: readonly Overload[] = [
  func('ip', [[STRING], IP], ([text]) => parseIp(text)),
  func('isIP', [[STRING], BOOL], ([text]) => !isFault(parseIp(text))),
  func('ip.isCanonical', [[STRING], BOOL], ([text]) => isCanonical(text)),
  func('string', [[IP], STRING], ([{ key }]) => key),
  method('family', [[IP], INT], ([{ address }]) => (address.bits === 32 ? 4n : 6n)),
  method('isUnspecified', [[IP], BOOL], ([{ address }]) => IS_UNSPECIFIED(address)),
  method('isLoopback', [[IP], BOOL], ([{ address }]) => IS_LOOPBACK(address)),
  method('isLinkLocalMulticast', [[IP], BOOL], ([{ address }]) => IS_LINK_LOCAL_MULTICAST(address)),
  method('isLinkLocalUnicast', [[IP], BOOL], ([{ address }]) => IS_LINK_LOCAL_UNICAST(address)),
  method('isGlobalUnicast', [[IP], BOOL], ([{ address }]) => !IS_NOT_GLOBAL_UNICAST(address)),
];

export const CIDR_FUNCTIONS: readonly Overload[] = [
  func('cidr', [[STRING], CIDR], ([text]) => parseCidr(text)),
  func('isCIDR', [[STRING], BOOL], ([text]) => !isFault(parseCidr(text))),
  func('string', [[CIDR], STRING], ([{ key }]) => key),
  method('ip', [[CIDR], IP], ([{ address }]) => ipOf(address)),
  method('prefixLength', [[CIDR], INT], ([{ prefix }]) => BigInt(prefix)),
  method('masked', [[CIDR], CIDR], ([cidr]) => masked(cidr)),
  method('containsIP', [[CIDR, IP], BOOL], ([cidr, ip]) => containsIp(cidr, ip)),
  method('containsIP', [[CIDR, STRING], BOOL], ([cidr, text]) => containsIp(cidr, parseIp(text))),
  method('containsCIDR', [[CIDR, CIDR], BOOL], ([cidr, other]) => containsCidr(cidr, other)),
  method('containsCIDR', [[CIDR, STRING], BOOL], ([cidr, text]) => containsCidr(cidr, parseCidr(text))),
];
