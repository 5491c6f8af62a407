import type { TestProject } from 'vitest/node';
import { prepare } from '../../dev/controlplane/prepare.ts';
import './provided.ts';

/** The programs that are run on the embedded cluster; they are fetched, not built. */
export async function setup(project: TestProject): Promise<void> {
  const onProgress = (line: string): void => void process.stderr.write(`${line}\n`);
  const { helm, kubectl } = await prepare({ parts: ['helm', 'kubectl'], onProgress });
  project.provide('helm', helm);
  project.provide('kubectl', kubectl);
}
