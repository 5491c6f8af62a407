/** A fault that is planted on purpose, and the test that must notice it. */
export interface Mutant {
  /** Short and unique, kebab-case. */
  readonly id: string;
  /** What would be broken: a promise (`P10`), an invariant (`I4`) or a short phrase. */
  readonly promise: string;
  /** From the project root. */
  readonly file: string;
  /** Exact text that occurs once in the file. */
  readonly search: string;
  readonly replace: string;
  readonly killedBy: {
    /** A test file that needs no control plane. */
    readonly file: string;
    /** Part of the full name of a test, its `describe` titles included; one matching test that fails is enough. */
    readonly test: string;
  };
}

/** The file with the fault in it. */
export function plant(text: string, mutant: Pick<Mutant, 'id' | 'file' | 'search' | 'replace'>): string {
  const count = text.split(mutant.search).length - 1;
  if (count !== 1) throw new Error(`${mutant.id}: the searched text occurs ${String(count)} times in ${mutant.file}`);
  return text.split(mutant.search).join(mutant.replace);
}
