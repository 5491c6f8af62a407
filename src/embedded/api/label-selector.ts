import { badRequest } from './refusals.ts';

export type Labels = Readonly<Record<string, string>>;

interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: readonly string[];
}

const TOKEN = /\s*(==|!=|[=!(),<>]|[^\s=!(),<>]+)/y;
const NAME_FORM = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character`;
const BAD_KEY = `a valid label key ${NAME_FORM} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`;
const BAD_VALUE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;
const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** Whether labels satisfy a selector as a query writes it: `a=b,c!=d,e in (f,g),!h,i>3`. */
export function parseLabelSelector(text: string): (labels: Labels | undefined) => boolean {
  const requirements = new Parser(text).parse();
  if (requirements.length === 0) return () => true;
  return (labels) => requirements.every((requirement) => satisfies(labels ?? {}, requirement));
}

/** A selector of an object: `matchLabels` and `matchExpressions`. */
function satisfies(labels: Labels, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<':
      return value !== undefined && isBeyond(value, operator, values[0] ?? '');
    default:
      return false;
  }
}

function isBeyond(value: string, operator: '>' | '<', bound: string): boolean {
  if (!/^[-+]?\d+$/.test(value)) return false;
  return operator === '>' ? Number(value) > Number(bound) : Number(value) < Number(bound);
}

class Parser {
  readonly #tokens: readonly string[];
  #next = 0;
  #lastKey = '';

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    while (this.#peek() !== undefined) {
      requirements.push(this.#requirement());
      const comma = this.#take();
      if (comma === undefined) break;
      if (comma !== ',') throw badRequest(`found '${comma}', expected: ',' or 'end of string'`);
      if (this.#peek() === undefined) throw badRequest("found '', expected: identifier after ','");
    }
    return requirements;
  }

  #requirement(): Requirement {
    if (this.#peek() === '!') {
      this.#take();
      return { key: this.#key(), operator: '!', values: [] };
    }
    const key = this.#key();
    const operator = this.#peek();
    if (operator === undefined || operator === ',') return { key, operator: 'exists', values: [] };
    this.#take();
    switch (operator) {
      case '=':
      case '==':
        return { key, operator: '=', values: [this.#value()] };
      case '!=':
      case '>':
      case '<':
        return { key, operator, values: [this.#value()] };
      case 'in':
      case 'notin':
        return { key, operator, values: this.#values() };
      default:
        throw this.#fault(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #key(): string {
    const key = this.#take() ?? '';
    if (!KEY.test(key)) throw this.#fault(`<nil>: Invalid value: ${JSON.stringify(key)}: ${BAD_KEY}`);
    this.#lastKey = key;
    return key;
  }

  #value(): string {
    const next = this.#peek();
    if (next === undefined || next === ',' || next === ')') return '';
    const value = this.#take() ?? '';
    if (!VALUE.test(value))
      throw this.#fault(`values[0][${this.#lastKey}]: Invalid value: ${JSON.stringify(value)}: ${BAD_VALUE}`);
    return value;
  }

  #values(): readonly string[] {
    if (this.#take() !== '(') throw this.#fault("found '', expected: '('");
    if (this.#peek() === undefined) throw this.#fault("found '', expected: ',', ')' or identifier");
    const values: string[] = [this.#value()];
    for (let token = this.#take(); token !== ')'; token = this.#take()) {
      if (token !== ',') throw this.#fault(`found '${token ?? ''}', expected: ',', ')' or identifier`);
      values.push(this.#value());
    }
    return values;
  }

  #peek(): string | undefined {
    return this.#tokens[this.#next];
  }

  #take(): string | undefined {
    const token = this.#tokens[this.#next];
    this.#next += 1;
    return token;
  }

  #fault(why: string): Error {
    return badRequest(`unable to parse requirement: ${why}`);
  }
}

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  const pattern = new RegExp(TOKEN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) tokens.push(match[1] ?? '');
  return tokens;
}
