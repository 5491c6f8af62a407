/** How much a finding of a plan matters: `error`: it will fail; `warning`: it may, or surprises; `info`: worth knowing. */
export const SEVERITIES = ['error', 'warning', 'info'] as const;

export type Severity = (typeof SEVERITIES)[number];

/** Something that a plan has to say beside its steps. */
export interface Finding {
  readonly severity: Severity;
  /** What it is about, such as `component store: Job shop/migrate`. */
  readonly subject: string;
  /** What is wrong, or will be. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}
