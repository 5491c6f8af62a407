/** What is wrong with a name or key, in the words of apimachinery; an empty list when it is fine. */
export type JudgeName = (name: string) => readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const LABEL_MESSAGE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_MESSAGE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_KEY_MESSAGE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const LABEL_VALUE_MESSAGE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

const LABEL_MAX = 63;
const SUBDOMAIN_MAX = 253;
const PORT_NAME_MAX = 15;

export const isDnsLabel: JudgeName = (name) => {
  const long = name.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : [];
  if (matches(LABEL, name)) return long;
  if (matches(SUBDOMAIN, name)) return [...long, 'must not contain dots'];
  return [...long, regexMessage(LABEL_MESSAGE, LABEL, ['my-name', '123-abc'])];
};

export const isDnsSubdomain: JudgeName = (name) => [
  ...(name.length > SUBDOMAIN_MAX ? [tooLong(SUBDOMAIN_MAX)] : []),
  ...(matches(SUBDOMAIN, name) ? [] : [regexMessage(SUBDOMAIN_MESSAGE, SUBDOMAIN, ['example.com'])]),
];

export const isWildcardSubdomain: JudgeName = (name) => {
  const format = `\\*\\.${SUBDOMAIN}`;
  const message =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  return matches(format, name) ? [] : [regexMessage(message, format, ['*.example.com'])];
};

export const isDns1035Label: JudgeName = (name) => {
  const format = '[a-z]([-a-z0-9]*[a-z0-9])?';
  const message =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [
    ...(name.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : []),
    ...(matches(format, name) ? [] : [regexMessage(message, format, ['my-name', 'abc-123'])]),
  ];
};

/** Names of roles and their like: anything that can be a part of a path. */
export const isPathSegment: JudgeName = (name) => {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
};

export const isLabelKey: JudgeName = (key) => {
  const parts = key.split('/');
  if (parts.length > 2) {
    const message = regexMessage(LABEL_KEY_MESSAGE, LABEL_KEY, ['MyName', 'my.name', '123-abc']);
    return [`a valid label key ${message} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  return [...(prefix === undefined ? [] : prefixProblems(prefix)), ...namePartProblems(name)];
};

function prefixProblems(prefix: string): readonly string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  return isDnsSubdomain(prefix).map((message) => `prefix part ${message}`);
}

function namePartProblems(name: string): readonly string[] {
  const size =
    name === '' ? ['name part must be non-empty'] : name.length > LABEL_MAX ? [`name part ${tooLong(LABEL_MAX)}`] : [];
  if (matches(LABEL_KEY, name)) return size;
  return [...size, `name part ${regexMessage(LABEL_KEY_MESSAGE, LABEL_KEY, ['MyName', 'my.name', '123-abc'])}`];
}

export const isLabelValue: JudgeName = (value) => {
  const format = `(${LABEL_KEY})?`;
  return [
    ...(value.length > LABEL_MAX ? [tooLong(LABEL_MAX)] : []),
    ...(matches(format, value) ? [] : [regexMessage(LABEL_VALUE_MESSAGE, format, ['MyValue', 'my_value', '12345'])]),
  ];
};

export const isConfigKey: JudgeName = (key) => {
  const format = '[-._a-zA-Z0-9]+';
  const message = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  return [
    ...(key.length > SUBDOMAIN_MAX ? [tooLong(SUBDOMAIN_MAX)] : []),
    ...(matches(format, key) ? [] : [regexMessage(message, format, ['key.name', 'KEY_NAME', 'key-name'])]),
    ...directoryProblems(key),
  ];
};

function directoryProblems(key: string): readonly string[] {
  if (key === '.') return ["must not be '.'"];
  if (key === '..') return ["must not be '..'"];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}

export const isEnvName: JudgeName = (name) => {
  if (name === '') return ['environment variable name must be non-empty'];
  const message = "a valid environment variable name must consist only of printable ASCII characters other than '='";
  return /^[\x20-\x3c\x3e-\x7e]*$/.test(name) ? [] : [message];
};

export const isPortName: JudgeName = (name) => [
  ...(name.length > PORT_NAME_MAX ? [tooLong(PORT_NAME_MAX)] : []),
  ...(/^[-a-z0-9]+$/.test(name) ? [] : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
  ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
  ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
  ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
];

function matches(format: string, text: string): boolean {
  return new RegExp(`^${format}$`).test(text);
}

function tooLong(limit: number): string {
  return `must be no more than ${String(limit)} characters`;
}

/** As apimachinery's RegexError, commas and all. */
export function regexMessage(message: string, format: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (e.g. ${shown}regex used for validation is '${format}')`;
}
