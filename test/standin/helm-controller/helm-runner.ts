import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReleaseRecord } from '../../../src/helm/record.ts';
import { helmEnvironment } from '../../../src/helm/helm-program.ts';
import type { CommandRunner } from '../../../src/ports/process.ts';
import type { Gate } from './gate.ts';
import type { Gateway } from './gateway.ts';
import { HelmPassage, type HelmPassageOptions } from './helm-passage.ts';

export interface HelmTask extends Omit<HelmPassageOptions, 'gate'> {
  readonly args: readonly string[];
  readonly stdin?: string;
}

export interface HelmResult {
  /** Why it failed; absent when it went well. */
  readonly failure?: string;
  /** The record that it wrote first, if it came so far. */
  readonly recorded: ReleaseRecord | undefined;
  /** Helm was ended in the middle, so that its record says pending. */
  readonly wasCutOff: boolean;
}

export interface HelmRunnerOptions {
  readonly helm: string;
  readonly runner: CommandRunner;
  readonly gateway: Gateway;
  readonly gate: Gate;
  readonly tempDir: string;
}

const GREETING = /^(?:WARNING|level=).*\n|^Error: (?:INSTALLATION FAILED: |UPGRADE FAILED: )?/gm;

/** Runs the real helm, each in surroundings of its own, through a passage of its own. */
export class HelmRunner {
  readonly #options: HelmRunnerOptions;

  constructor(options: HelmRunnerOptions) {
    this.#options = options;
  }

  async run(task: HelmTask): Promise<HelmResult> {
    const { gateway, gate, tempDir, helm } = this.#options;
    const passage = new HelmPassage({ ...task, gate });
    const opened = gateway.open(passage);
    const home = await mkdtemp(join(tempDir, 'helm-'));
    const cut = new AbortController();
    const giveUp = passage.givenUp.then(() => {
      // First of all it may write nothing more.
      opened.close();
      cut.abort();
    });
    try {
      const kubeconfig = await writeKubeconfig(home, opened.server, task.releaseNamespace);
      const environment = helmEnvironment({ binary: helm, environment: { PATH: '/usr/bin:/bin' }, kubeconfig }, home);
      const command = { file: helm, args: task.args, env: environment, stdin: task.stdin ?? '' };
      const result = await this.#options.runner.run(command, cut.signal);
      await gate.pass();
      const recorded = passage.recorded;
      if (passage.failure !== undefined) {
        await giveUp;
        return { failure: passage.failure, recorded, wasCutOff: true };
      }
      return result.exitCode === 0
        ? { recorded, wasCutOff: false }
        : { failure: result.stderr.replace(GREETING, '').trim(), recorded, wasCutOff: false };
    } finally {
      opened.close();
      await rm(home, { recursive: true, force: true });
    }
  }
}

async function writeKubeconfig(home: string, server: string, namespace: string): Promise<string> {
  await mkdir(home, { recursive: true });
  const file = join(home, 'kubeconfig');
  const named = (name: string, body: object): object => ({ name, ...body });
  const content = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [named('gateway', { cluster: { server } })],
    users: [named('gateway', { user: {} })],
    contexts: [named('gateway', { context: { cluster: 'gateway', user: 'gateway', namespace } })],
    'current-context': 'gateway',
  };
  await writeFile(file, JSON.stringify(content));
  return file;
}
