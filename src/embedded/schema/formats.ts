import { parseTime } from '../../lib/time.ts';

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.|$)){4}(?<!\.)$/;
const DURATION = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h)(?:(?:\d+(?:\.\d*)?|\.\d+)(?:ns|us|µs|ms|s|m|h))*$/;
const SHORT_NAME = /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/;

/** The formats of strings that the API server checks in custom objects; what others hold is not looked at. */
const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text),
  cidr: (text) => {
    const [address = '', bits = '', ...rest] = text.split('/');
    const most = isIpv4(address) ? 32 : 128;
    return rest.length === 0 && isIp(address) && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  },
  date: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(parseTime(`${text}T00:00:00Z`)),
  datetime: (text) => /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d/.test(text) && !Number.isNaN(parseTime(text.toUpperCase())),
  duration: (text) =>
    DURATION.test(text) ||
    text === '0' ||
    /^\d+ ?(?:ns|us|ms|s|m|h|d|w|seconds?|minutes?|hours?|days?|weeks?)$/.test(text),
  email: (text) => /^[^\s@<>]+@[^\s@<>]+$/.test(text),
  hexcolor: (text) => /^#?(?:[0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/.test(text),
  hostname: (text) =>
    text.length <= 255 &&
    /^[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*$/.test(text),
  ipv4: isIpv4,
  ipv6: (text) => isIp(text) && text.includes(':'),
  mac: (text) => /^(?:[0-9A-Fa-f]{2}([:-]))(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}$/.test(text),
  uri: (text) => text.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:\S+$/.test(text),
  uuid: (text) => UUID.test(text),
  k8sshortname: (text) => SHORT_NAME.test(text),
  k8slongname: (text) =>
    text.length <= 253 && text.split('.').every((part) => /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/.test(part)),
};

/** Whether a string has a format; undefined for formats that are not looked at. */
export function hasFormat(text: string, format: string): boolean | undefined {
  return FORMATS[format.replaceAll('-', '')]?.(text);
}

/** Whether the schema of a custom object is checked for this format at all. */
export function isCheckedFormat(format: string): boolean {
  return Object.hasOwn(FORMATS, format.replaceAll('-', ''));
}

function isIpv4(text: string): boolean {
  return IPV4.test(text);
}

function isIp(text: string): boolean {
  if (isIpv4(text)) return true;
  const halves = text.split('::');
  if (halves.length > 2 || !text.includes(':')) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const count = groups.length + (isIpv4(last) ? 1 : 0);
  const plain = isIpv4(last) ? groups.slice(0, -1) : groups;
  return plain.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group)) && (halves.length === 2 ? count < 8 : count === 8);
}
