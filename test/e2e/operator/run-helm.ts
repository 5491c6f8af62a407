import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Plane } from './plane.ts';

/** What a person does with helm. */
export async function runHelm({ plane }: { readonly plane: Plane }, args: readonly string[]): Promise<void> {
  await promisify(execFile)(plane.binaries.helm, args, { env: plane.env });
}
