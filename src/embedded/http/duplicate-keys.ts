/** The paths of keys that stand twice in one object of a JSON text, as `spec.ports[0].name`; JSON.parse keeps the last. */
export function duplicateKeys(text: string): readonly string[] {
  const scanner = new Scanner(text);
  scanner.value('');
  return scanner.found;
}

const STRING = /"(?:[^"\\]|\\.)*"/y;
const SCALAR = /[^\s,\]}]+/y;

/** Reads a text that JSON.parse has accepted. */
class Scanner {
  readonly found: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(path: string): void {
    switch (this.#peek() ?? '') {
      case '{':
        this.#object(path);
        break;
      case '[':
        this.#list(path);
        break;
      case '"':
        this.#match(STRING);
        break;
      default:
        this.#match(SCALAR);
    }
  }

  #object(path: string): void {
    const keys = new Set<string>();
    this.#at += 1;
    while (this.#peek() !== '}') {
      const key = String(JSON.parse(this.#match(STRING)));
      const place = path === '' ? key : `${path}.${key}`;
      if (keys.has(key)) this.found.push(place);
      keys.add(key);
      this.#skip(':');
      this.value(place);
      this.#skip(',');
    }
    this.#at += 1;
  }

  #list(path: string): void {
    this.#at += 1;
    for (let index = 0; this.#peek() !== ']'; index += 1) {
      this.value(`${path}[${String(index)}]`);
      this.#skip(',');
    }
    this.#at += 1;
  }

  #peek(): string | undefined {
    while (/\s/.test(this.#text[this.#at] ?? '')) this.#at += 1;
    return this.#text[this.#at];
  }

  #skip(mark: string): void {
    if (this.#peek() === mark) this.#at += 1;
  }

  #match(pattern: RegExp): string {
    this.#peek();
    const sticky = new RegExp(pattern);
    sticky.lastIndex = this.#at;
    const match = sticky.exec(this.#text)?.[0] ?? '';
    // A text that is no JSON ends the scan.
    this.#at = match === '' ? this.#text.length : this.#at + match.length;
    return match === '' ? '""' : match;
  }
}
