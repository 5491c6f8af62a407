import type { Output } from '../host.ts';

/** Lines are wrapped for a terminal alone: elsewhere they are to be copied and searched. */
export function columnsOf(output: Output): { readonly columns?: number } {
  return output.isTerminal ? { columns: output.size().columns } : {};
}
