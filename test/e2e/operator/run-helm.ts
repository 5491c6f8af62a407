import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ControlPlane } from '../../../dev/controlplane/contract.ts';

/** What a person does with helm. */
export async function runHelm({ plane }: { readonly plane: ControlPlane }, args: readonly string[]): Promise<void> {
  await promisify(execFile)(plane.binaries.helm, args, { env: plane.env });
}
