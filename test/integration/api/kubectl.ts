import { execFile } from 'node:child_process';
import { inject } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';

export interface KubectlResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs kubectl against the control plane of the tests; objects go to its standard input. */
export function kubectl(args: readonly string[], ...objects: readonly KubeObject[]): Promise<KubectlResult> {
  const withAccess = ['--kubeconfig', inject('kubeconfig'), ...args];
  return new Promise((resolve) => {
    const child = execFile(inject('kubectl'), withAccess, { maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.end(objects.map((object) => JSON.stringify(object)).join('\n---\n'));
  });
}

export async function kubectlJson(args: readonly string[]): Promise<KubeObject> {
  const { code, stdout, stderr } = await kubectl([...args, '-o', 'json']);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as KubeObject;
}
