/** What is wrong with a name, in the words of Kubernetes; nothing where it is valid. */
export type Problems = readonly string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const VALUE = `(${KEY})?`;

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const LABEL_1035_RULE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
const KEY_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function fits(text: string, pattern: string): boolean {
  return new RegExp(`^${pattern}$`).test(text);
}

function broken(rule: string, pattern: string, examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${shown}regex used for validation is '${pattern}')`;
}

function tooLong(text: string, most: number): Problems {
  return new TextEncoder().encode(text).length > most ? [`must be no more than ${String(most)} bytes`] : [];
}

export function label(text: string): Problems {
  const long = tooLong(text, 63);
  if (fits(text, LABEL)) return long;
  const hasDots = fits(text, SUBDOMAIN);
  return [...long, hasDots ? 'must not contain dots' : broken(LABEL_RULE, LABEL, ['my-name', '123-abc'])];
}

export function subdomain(text: string): Problems {
  const wrong = fits(text, SUBDOMAIN) ? [] : [broken(SUBDOMAIN_RULE, SUBDOMAIN, ['example.com'])];
  return [...tooLong(text, 253), ...wrong];
}

export function label1035(text: string): Problems {
  const wrong = fits(text, LABEL_1035) ? [] : [broken(LABEL_1035_RULE, LABEL_1035, ['my-name', 'abc-123'])];
  return [...tooLong(text, 63), ...wrong];
}

export function labelValue(text: string): Problems {
  const wrong = fits(text, VALUE) ? [] : [broken(VALUE_RULE, VALUE, ['MyValue', 'my_value', '12345'])];
  return [...tooLong(text, 63), ...wrong];
}

const KEY_EXAMPLES = ['MyName', 'my.name', '123-abc'];

/** The key of a label. */
export function qualifiedName(text: string): Problems {
  const parts = text.split('/');
  if (parts.length > 2) {
    const rule = broken(KEY_RULE, KEY, KEY_EXAMPLES);
    return [`a valid label key ${rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const [name = '', prefix] = [...parts].reverse();
  return [
    ...prefixProblems(prefix).map((one) => `prefix part ${one}`),
    ...nameProblems(name).map((one) => `name part ${one}`),
  ];
}

function prefixProblems(prefix: string | undefined): Problems {
  if (prefix === undefined) return [];
  return prefix === '' ? ['must be non-empty'] : subdomain(prefix);
}

function nameProblems(name: string): Problems {
  const size = name === '' ? ['must be non-empty'] : tooLong(name, 63);
  return fits(name, KEY) ? size : [...size, broken(KEY_RULE, KEY, KEY_EXAMPLES)];
}

/** For what more is to be appended to, and may end with a dash; as Kubernetes does it, with the character before. */
export function asPrefix(judge: (text: string) => Problems): (text: string) => Problems {
  return (text) => judge(text.length > 1 && text.endsWith('-') ? `${text.slice(0, -2)}a` : text);
}
