import { KubepkgError } from '../../api/errors.ts';
import { isRecord } from '../../lib/json.ts';

/** A part of a kubeconfig that knows where it is written, so that every complaint names file and field. */
export class KubeconfigSection {
  readonly file: string;
  readonly path: string;
  readonly #value: Readonly<Record<string, unknown>>;

  constructor(file: string, path: string, value: Readonly<Record<string, unknown>>) {
    this.file = file;
    this.path = path;
    this.#value = value;
  }

  /** Empty counts as absent, as in kubectl. */
  string(field: string): string | undefined {
    const value = this.#value[field];
    if (value === undefined || value === null || value === '') return undefined;
    if (typeof value === 'string') return value;
    throw this.invalid(field, 'must be a string', 'put the value in quotes');
  }

  required(field: string): string {
    const value = this.string(field);
    if (value === undefined) throw this.invalid(field, 'is missing', `set ${field}`);
    return value;
  }

  flag(field: string): boolean {
    const value = this.#value[field] ?? false;
    if (typeof value === 'boolean') return value;
    throw this.invalid(field, 'must be true or false', 'write true or false without quotes');
  }

  strings(field: string): readonly string[] {
    const value = this.#value[field] ?? [];
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw this.invalid(field, 'must be a list of strings', 'put every item in quotes');
  }

  /** Absent, or a section of its own. */
  section(field: string): KubeconfigSection | undefined {
    const value = this.#value[field];
    if (value === undefined || value === null) return undefined;
    if (isRecord(value)) return new KubeconfigSection(this.file, `${this.path}.${field}`, value);
    throw this.invalid(field, 'must be a map', `see "kubectl config view" for the form of ${field}`);
  }

  sections(field: string): readonly KubeconfigSection[] {
    const value = this.#value[field] ?? [];
    if (!Array.isArray(value)) throw this.invalid(field, 'must be a list', 'start each entry with "- "');
    return value.map((item: unknown, index) => {
      const path = `${this.path === '' ? '' : `${this.path}.`}${field}[${String(index)}]`;
      if (isRecord(item)) return new KubeconfigSection(this.file, path, item);
      throw new KubepkgError('KubeconfigInvalid', `${this.file}: ${path} must be a map`, {
        hint: `correct ${path} in ${this.file}`,
      });
    });
  }

  entries(field: string): readonly (readonly [string, unknown])[] {
    const value = this.#value[field] ?? {};
    if (isRecord(value)) return Object.entries(value);
    throw this.invalid(field, 'must be a map', 'write KEY: VALUE lines');
  }

  raw(field: string): unknown {
    return this.#value[field];
  }

  has(field: string): boolean {
    return this.#value[field] !== undefined && this.#value[field] !== null;
  }

  /** The complaint never repeats the value: it may be a secret. */
  invalid(field: string, fault: string, remedy: string): KubepkgError {
    const path = this.path === '' ? field : `${this.path}.${field}`;
    return new KubepkgError('KubeconfigInvalid', `${this.file}: ${path} ${fault}`, { hint: remedy });
  }
}
