import { describe, expect, it } from 'vitest';
import { compileCel, evaluate, type Outcome } from '../cel.ts';
import { KUBERNETES } from '../library.ts';
import { DYN } from '../types.ts';

const OPTIONS = { variables: new Map([['self', DYN.type]]), library: KUBERNETES, mayBeUnknown: true };

function outcomeOf(expression: string, self: unknown = {}): Outcome {
  const compilation = compileCel(expression, OPTIONS);
  if (compilation.kind === 'invalid') return { kind: 'error', message: compilation.message };
  return evaluate(compilation.program, { self });
}

const TRUE = { kind: 'value', value: true };

describe('a quantity', () => {
  it.each([
    'isQuantity("20")',
    'isQuantity("20M")',
    'isQuantity("20Mi")',
    'isQuantity("-1.5e-3")',
    '!isQuantity("20Mo")',
    '!isQuantity("10Mm")',
    '!isQuantity("")',
    '!isQuantity("1Ei2")',
    '!isQuantity("1".replace("1", "11111111111111111111").replace("1", "11111111111111111111").replace("1", "111"))',
    'quantity("200M") == quantity("200M")',
    'quantity("200M") == quantity("0.2G") && quantity("0.2G") == quantity("200M")',
    'quantity("2M") == quantity("0.002G") && quantity("2000k") == quantity("2M") && quantity("0.002G") == quantity("2000k")',
    'quantity("200M") != quantity("0.3G")',
    'quantity("0") == quantity("0Mi") && quantity("-0") == quantity("0")',
    'quantity("50M").isLessThan(quantity("50Mi"))',
    'quantity("50M").isLessThan(quantity("100M"))',
    '!quantity("100M").isLessThan(quantity("50M"))',
    'quantity("-100M").isLessThan(quantity("-50M"))',
    'quantity("-1").isLessThan(quantity("0")) && quantity("0").isLessThan(quantity("1n"))',
    'quantity("50Mi").isGreaterThan(quantity("50M"))',
    'quantity("150Mi").isGreaterThan(quantity("100Mi"))',
    '!quantity("50M").isGreaterThan(quantity("100M"))',
    'quantity("1e1000000000").isGreaterThan(quantity("1e999999999"))',
    'quantity("200M").compareTo(quantity("0.2G")) == 0',
    'quantity("50M").compareTo(quantity("50Mi")) == -1',
    'quantity("50Mi").compareTo(quantity("50M")) == 1',
    'quantity("50k").add(quantity("20")) == quantity("50.02k")',
    '!quantity("50k").add(20).isLessThan(quantity("50020"))',
    'quantity("50k").sub(quantity("20")) == quantity("49.98k")',
    'quantity("50k").sub(20) == quantity("49980")',
    'quantity("50k").add(20).sub(quantity("100k")).asInteger() == -49980',
    'quantity("50k").add(20).sub(quantity("100k")).sub(-50000).asInteger() == 20',
    'quantity("50k").asInteger() == 50000',
    'quantity("12Mi").asInteger() == 12582912',
    '!quantity("9999999999999999999999999999999999999G").isInteger()',
    'quantity("50").isInteger()',
    '!quantity("50m").isInteger()',
    '!quantity("1Ei").isInteger()',
    '!quantity("9223372036854775807").isInteger() && quantity("922337203685477580").isInteger()',
    'quantity("922337203685477580").add(9223372036854775807).isInteger() == false',
    'quantity("1").add(quantity("1Ei")).isInteger() == false',
    'quantity("99999Ei") == quantity("9223372036854775807")',
    'quantity("0.1n") == quantity("1n") && quantity("-0.1n") == quantity("-1n")',
    'quantity("1.5Gi") == quantity("1536Mi")',
    'quantity("50.703k").asApproximateFloat() == 50703.0',
    'quantity("100m").asApproximateFloat() == 0.1',
    'sign(quantity("-5")) == -1 && sign(quantity("0")) == 0 && sign(quantity("5")) == 1',
    'quantity(self.memory).isLessThan(quantity("1Gi"))',
  ])('%s', (expression) => {
    expect(outcomeOf(expression, { memory: '512Mi' })).toEqual(TRUE);
  });

  it.each([
    ['quantity("10Mo") == quantity("1")', 'quantities must match the regular expression'],
    ['quantity("10Mm") == quantity("1")', "unable to parse quantity's suffix"],
    ['quantity("9999999999999999999999999999999999999G").asInteger() == 1', 'cannot convert value to integer'],
    ['quantity("1e1000000000").add(quantity("1")) == quantity("1")', 'too far apart'],
    ['isQuantity([1, 2, 3])', 'isQuantity() cannot be applied to (list(int))'],
    ['quantity("1") == 1', '== cannot be applied to kubernetes.Quantity and int'],
    ['quantity("1") < quantity("2")', '< cannot be applied to kubernetes.Quantity and kubernetes.Quantity'],
    ['quantity("1").sign() == 1', 'unknown function sign'],
  ])('fails: %s', (expression, message) => {
    expect(outcomeOf(expression)).toEqual({ kind: 'error', message: expect.stringContaining(message) as string });
  });
});

describe('an IP address', () => {
  it.each([
    'isIP("192.168.0.1") && isIP("2001:db8::68")',
    'isIP("::") && isIP("1:2:3:4:5:6:7::") && isIP("1:2:3:4:5:6:7:8") && isIP("64:ff9b::192.0.2.33")',
    '!isIP("192.168.0.1.0") && !isIP("192.168.0") && !isIP("192.168.0.256") && !isIP("192.168.0.01") && !isIP("")',
    '!isIP("2001:db8:::68") && !isIP("1::2::3") && !isIP("1:2:3:4:5:6:7:8::") && !isIP("12345::") && !isIP("1:2:3:4:5:6:7:")',
    '!isIP("fe80::1%eth0") && !isIP("::ffff:1.2.3.4") && !isIP("::ffff:102:304")',
    'ip("192.168.0.1") == ip("192.168.0.1") && ip("2001:DB8::68") == ip("2001:db8:0:0::68")',
    'ip("192.168.0.1") != ip("192.168.0.2")',
    'ip.isCanonical("127.0.0.1") && ip.isCanonical("2001:db8::68") && ip.isCanonical("1:0:0:2::3") && ip.isCanonical("1::2:3:0:0:4")',
    '!ip.isCanonical("2001:DB8::68") && !ip.isCanonical("1:0:0:0:2::3") && !ip.isCanonical("1:0:2:3:4:5:6::")',
    'ip("192.168.0.1").family() == 4 && ip("2001:db8::68").family() == 6',
    'ip("0.0.0.0").isUnspecified() && ip("::").isUnspecified()',
    '!ip("127.0.0.1").isUnspecified() && !ip("::1").isUnspecified()',
    'ip("127.0.0.1").isLoopback() && ip("::1").isLoopback()',
    '!ip("1.2.3.4").isLoopback() && !ip("2001:db8::abcd").isLoopback() && !ip("::2").isLoopback()',
    'ip("224.0.0.1").isLinkLocalMulticast() && ip("ff02::1").isLinkLocalMulticast() && ip("ff12::1").isLinkLocalMulticast()',
    '!ip("224.0.1.1").isLinkLocalMulticast() && !ip("fd00::1").isLinkLocalMulticast()',
    'ip("169.254.169.254").isLinkLocalUnicast() && ip("fe80::1").isLinkLocalUnicast()',
    '!ip("192.168.0.1").isLinkLocalUnicast() && !ip("fd80::1").isLinkLocalUnicast()',
    'ip("192.168.0.1").isGlobalUnicast() && ip("2001:db8::abcd").isGlobalUnicast()',
    '!ip("255.255.255.255").isGlobalUnicast() && !ip("ff00::1").isGlobalUnicast() && !ip("::").isGlobalUnicast()',
    'string(ip("192.168.0.1")) == "192.168.0.1" && string(ip("2001:DB8:0:0::68")) == "2001:db8::68"',
    'type(ip("192.168.0.1")) == net.IP',
    'ip(self.ip).family() == 4',
    '[ip("1.1.1.1"), ip("1.1.1.2")].indexOf(ip(self.ip)) == 1',
  ])('%s', (expression) => {
    expect(outcomeOf(expression, { ip: '1.1.1.2' })).toEqual(TRUE);
  });

  it.each([
    ['ip("192.168.0.1.0").family() == 4', 'IP Address "192.168.0.1.0" parse error during conversion from string'],
    ['ip.isCanonical("127.0.0.1.0")', 'IP Address "127.0.0.1.0" parse error during conversion from string'],
    ['ip("::ffff:1.2.3.4").family() == 4', 'IPv4-mapped IPv6 address "::ffff:1.2.3.4" is not allowed'],
    ['isIP(cidr("192.168.0.0/24"))', 'isIP() cannot be applied to (net.CIDR)'],
  ])('fails: %s', (expression, message) => {
    expect(outcomeOf(expression)).toEqual({ kind: 'error', message: expect.stringContaining(message) as string });
  });
});

describe('a CIDR', () => {
  it.each([
    'isCIDR("192.168.0.0/24") && isCIDR("2001:db8::/32") && isCIDR("0.0.0.0/0") && isCIDR("::/128")',
    '!isCIDR("192.168.0.0/") && !isCIDR("192.168.0.0") && !isCIDR("192.168.0.0/33") && !isCIDR("192.168.0.0/024")',
    '!isCIDR("2001:db8::/129") && !isCIDR("::ffff:1.2.3.4/96") && !isCIDR("192.168.0.0/+8")',
    'cidr("192.168.0.0/24").containsIP(ip("192.168.0.1")) && cidr("192.168.0.0/24").containsIP("192.168.0.1")',
    '!cidr("192.168.0.0/24").containsIP(ip("192.168.1.1")) && !cidr("192.168.0.0/24").containsIP("192.168.1.1")',
    '!cidr("0.0.0.0/0").containsIP("::1") && !cidr("::/0").containsIP("10.0.0.1")',
    'cidr("192.168.0.0/24").containsCIDR(cidr("192.168.0.0/25"))',
    'cidr("192.168.0.0/24").containsCIDR(cidr("192.168.0.1/32"))',
    '!cidr("192.168.0.0/24").containsCIDR(cidr("192.168.0.0/23"))',
    '!cidr("192.168.0.0/24").containsCIDR(cidr("192.169.0.1/32"))',
    'cidr("192.168.0.0/24").containsCIDR("192.168.0.0/25")',
    '!cidr("192.168.0.0/24").containsCIDR("192.168.0.0/23")',
    'cidr("192.168.0.0/24").ip() == ip("192.168.0.0") && cidr("192.168.0.7/24").ip() == ip("192.168.0.7")',
    'cidr("192.168.0.0/24").masked() == cidr("192.168.0.0/24")',
    'cidr("192.168.0.1/24").masked() == cidr("192.168.0.0/24") && cidr("192.168.0.1/24") != cidr("192.168.0.0/24")',
    'cidr("192.168.0.0/24").prefixLength() == 24 && cidr("2001:db8::/32").prefixLength() == 32',
    'cidr("2001:db8::/32").containsIP("2001:db8::1") && !cidr("2001:db8::/32").containsIP(ip("2001:dc8::1"))',
    'cidr("2001:db8::/32").containsCIDR("2001:db8::/33") && !cidr("2001:db8::/32").containsCIDR("2001:db8::/31")',
    'cidr("2001:db8:1::/32").masked() == cidr("2001:db8::/32")',
    'string(cidr("192.168.0.0/24")) == "192.168.0.0/24"',
    'type(cidr("192.168.0.0/24")) == net.CIDR',
  ])('%s', (expression) => {
    expect(outcomeOf(expression)).toEqual(TRUE);
  });

  it.each([
    ['cidr("192.168.0.0/").prefixLength() == 1', 'bad bits after slash: ""'],
    ['cidr("2001:db8::/").prefixLength() == 1', 'bad bits after slash: ""'],
    ['cidr("192.168.0.0/24").containsIP("x")', 'IP Address "x" parse error'],
    ['cidr("192.168.0.0/24").containsCIDR("x")', "no '/'"],
  ])('fails: %s', (expression, message) => {
    expect(outcomeOf(expression)).toEqual({ kind: 'error', message: expect.stringContaining(message) as string });
  });
});

describe('a URL', () => {
  const url = 'https://user:pass@kubernetes.io:80/docs/home?k1=a&k2=b&k2=c#anchor';

  it.each([
    "url('/path').getScheme() == ''",
    "url('HTTPS://example.com/').getScheme() == 'https'",
    "url('https://example.com:80/').getHost() == 'example.com:80'",
    "url('https://example.com/').getHost() == 'example.com'",
    "url('https://[::1]:80/').getHost() == '[::1]:80'",
    "url('https://[::1]/').getHost() == '[::1]'",
    "url('/path').getHost() == ''",
    "url('https://example.com:80/').getHostname() == 'example.com'",
    "url('https://127.0.0.1/').getHostname() == '127.0.0.1'",
    "url('https://[::1]/').getHostname() == '::1'",
    "url('/path').getHostname() == ''",
    "url('https://example.com:80/').getPort() == '80'",
    "url('https://[::1]:80/').getPort() == '80' && url('https://[::1]/').getPort() == ''",
    "url('https://example.com/').getPort() == ''",
    "url('/path').getPort() == ''",
    "url('https://example.com/path').getEscapedPath() == '/path'",
    "url('https://example.com/with space/').getEscapedPath() == '/with%20space/'",
    "url('https://example.com/a%2fb/(c)').getEscapedPath() == '/a%2fb/(c)'",
    "url('https://example.com/é').getEscapedPath() == '/%C3%A9'",
    "url('https://example.com').getEscapedPath() == ''",
    "url('https://example.com/path?k1=a&k2=b&k2=c').getQuery() == { 'k1': ['a'], 'k2': ['b', 'c']}",
    "url('https://example.com/path?key with spaces=value with spaces').getQuery() == { 'key with spaces': ['value with spaces']}",
    "url('https://example.com/?a=b+c%21=d&e&f;g=1&h=%zz').getQuery() == {'a': ['b c!=d'], 'e': ['']}",
    "url('https://example.com/path?').getQuery() == {}",
    "url('https://example.com/path').getQuery() == {}",
    "url(self.url).getScheme() == 'https'",
    "url(self.url).getHost() == 'kubernetes.io:80'",
    "url(self.url).getHostname() == 'kubernetes.io'",
    "url(self.url).getPort() == '80'",
    "url(self.url).getEscapedPath() == '/docs/home'",
    "url(self.url).getQuery() == {'k1': ['a'], 'k2': ['b', 'c']}",
    "url('https://a/') == url('HTTPS://a/') && url('https://a/') != url('https://b/')",
    "url('mailto:a@b') != url('mailto:c@b') && url('mailto:a@b').getScheme() == 'mailto'",
    "isURL('https://user:pass@example.com:80/path?query=val#fragment')",
    "isURL('/path')",
    "!isURL('https://a:b:c/') && !isURL('https://a:1:2/') && isURL('db://a:1,b:2/')",
    "!isURL('../relative-path') && !isURL('') && !isURL('example.com') && !isURL(':80/')",
    "!isURL('https://a b/') && !isURL('https://a/%zz') && !isURL('https://[::1/') && !isURL('https://[1.2.3.4]/')",
    "!isURL('https://a/\\n') && !isURL('https://us er@a/') && !isURL('https://a%41/') && isURL('https://a%e9/')",
  ])('%s', (expression) => {
    expect(outcomeOf(expression, { url })).toEqual(TRUE);
  });

  it('fails where it is none', () => {
    expect(outcomeOf("url('../a').getHost() == ''")).toEqual({
      kind: 'error',
      message: 'URL parse error during conversion from string: parse "../a": invalid URI for request',
    });
  });
});

describe('a semantic version', () => {
  it.each([
    "isSemver('1.2.3-beta') && isSemver('1.0.0+build') && !isSemver('v1.0') && !isSemver('01.01.01') && !isSemver('hello')",
    "isSemver('v1.0', true) && isSemver('01.01.01', true) && isSemver('1', true) && !isSemver('1.0', false)",
    "semver('1.2.3').major() == 1 && semver('1.2.3').minor() == 2 && semver('1.2.3').patch() == 3",
    "semver('1.2.3').compareTo(semver('1.2.3')) == 0",
    "semver('1.2.3').compareTo(semver('2.0.0')) == -1",
    "semver('1.2.3').compareTo(semver('0.1.2')) == 1",
    "semver('1.0.0').isLessThan(semver('1.2.3')) && semver('1.0.0').isGreaterThan(semver('1.0.0-rc.1'))",
    "semver('v01.01', true) == semver('1.1.0') && semver('1.0.0+a') == semver('1.0.0+b')",
  ])('%s', (expression) => {
    expect(outcomeOf(expression)).toEqual(TRUE);
  });

  it('fails where it is none', () => {
    expect(outcomeOf("semver('Three').major() == 3").kind).toBe('error');
  });
});
