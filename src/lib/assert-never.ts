/** Makes a switch exhaustive at compile time; reached at run time only by a bug. */
export function assertNever(value: never, what: string): never {
  throw new Error(`unexpected ${what}: ${JSON.stringify(value)}`);
}
