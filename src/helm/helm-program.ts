import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode, KubepkgError } from '../api/errors.ts';
import type { CommandResult, CommandRunner } from '../ports/process.ts';
import { type HelmVersion, isSupported, parseHelmVersion } from './helm-version.ts';
import type { HelmCall } from './helm-call.ts';

export interface HelmOptions {
  /** Path of the program, or a name to be looked for in the environment's PATH. */
  readonly binary: string;
  /** Absent: inside a cluster, by the service account of the pod. */
  readonly kubeconfig?: string | undefined;
  readonly kubeContext?: string | undefined;
  /**
   * What helm may know of its surroundings (PATH, HOME, proxies, and where the kubeconfig has a credential plugin, what
   * that goes by). Nothing of helm's own passes.
   */
  readonly environment: Readonly<Record<string, string>>;
}

const NOT_FOUND_HINT = 'install helm 4 (3.14 or newer works too), or name it with --helm';
/**
 * A helm lives for a tenth of a second and takes 60 MB: it need not collect any. One with a chart of megabytes does
 * collect, or several of them would take the memory of a small node.
 */
const GO_MEMORY = { GOGC: 'off', GOMEMLIMIT: '192MiB' };

/** The helm binary: its version is asked once, its surroundings are ours alone. */
export class HelmProgram {
  readonly #runner: CommandRunner;
  readonly #options: HelmOptions;
  readonly #home: string;
  #version: Promise<HelmVersion> | undefined;

  constructor(runner: CommandRunner, options: HelmOptions, tempDir: string) {
    this.#runner = runner;
    this.#options = options;
    this.#home = join(tempDir, 'helm');
  }

  /** Fails with HelmNotFound; asked anew after that, as the program may have been put there meanwhile. */
  version(): Promise<HelmVersion> {
    this.#version ??= this.#askVersion().catch((error: unknown) => {
      this.#version = undefined;
      throw error;
    });
    return this.#version;
  }

  async run(call: HelmCall, options: { signal?: AbortSignal; maxOutputBytes?: number } = {}): Promise<CommandResult> {
    const { binary, kubeContext } = this.#options;
    await mkdir(this.#home, { recursive: true, mode: 0o700 });
    const command = {
      file: binary,
      args: [...call.args, ...(kubeContext === undefined ? [] : ['--kube-context', kubeContext])],
      env: helmEnvironment(this.#options, this.#home),
      stdin: call.stdin ?? '',
      ...(options.maxOutputBytes === undefined ? {} : { maxOutputBytes: options.maxOutputBytes }),
    };
    try {
      return await this.#runner.run(command, options.signal);
    } catch (error) {
      throw startError(error, binary);
    }
  }

  async #askVersion(): Promise<HelmVersion> {
    const { binary } = this.#options;
    const result = await this.run({ args: ['version', '--template', '{{.Version}}'] });
    const version = parseHelmVersion(result.stdout);
    if (result.exitCode !== 0 || version === undefined) {
      throw new KubepkgError('HelmNotFound', `${binary} does not tell a helm version`, { hint: NOT_FOUND_HINT });
    }
    if (!isSupported(version)) {
      throw new KubepkgError('HelmNotFound', `helm ${version.text} is not supported`, { hint: NOT_FOUND_HINT });
    }
    return version;
  }
}

export function helmEnvironment(options: HelmOptions, home: string): Readonly<Record<string, string>> {
  const outside = Object.entries(options.environment).filter(
    ([name]) => !/^(HELM_|KUBECONFIG$|KUBECACHEDIR$)/.test(name),
  );
  return {
    HOME: home,
    ...Object.fromEntries(outside),
    ...GO_MEMORY,
    HELM_DRIVER: 'secret',
    HELM_CACHE_HOME: join(home, 'cache'),
    HELM_CONFIG_HOME: join(home, 'config'),
    HELM_DATA_HOME: join(home, 'data'),
    HELM_PLUGINS: join(home, 'plugins'),
    KUBECACHEDIR: join(home, 'kube-cache'),
    ...(options.kubeconfig === undefined ? {} : { KUBECONFIG: options.kubeconfig }),
  };
}

function startError(error: unknown, binary: string): unknown {
  if (isCode(error, 'NotFound')) {
    return new KubepkgError('HelmNotFound', `there is no program ${binary}`, { cause: error, hint: NOT_FOUND_HINT });
  }
  // No memory, no free process or descriptor: what is short now need not be short later.
  if (isCode(error, 'Internal')) return new KubepkgError('HelmKilled', error.message, { cause: error });
  return error;
}
