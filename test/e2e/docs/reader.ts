import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { ControlPlane } from '../../../dev/controlplane/contract.ts';
import type { Snippet } from '../../build/snippets.ts';

const PROGRAM = join(process.cwd(), 'dist', 'kubepkg.js');

/**
 * `kubepkg` on the PATH of a reader: the built program, told where helm, registry and caches of this cluster are, as a
 * reader has them in the usual places. What runs until it is interrupted is, and an operator goes on beside the shell.
 */
function wrapper({ plane, folder }: { readonly plane: ControlPlane; readonly folder: string }): string {
  const { caFile, binaries } = plane;
  const found = `--helm "${binaries.helm}" --registry-ca-file "${caFile}" --cache-dir "${folder}/cache"`;
  return `#!/usr/bin/env bash
run() { "${process.execPath}" "${PROGRAM}" "$@"; }
case "$1 $*" in
  operator*) "${process.execPath}" "${PROGRAM}" "$@" ${found} --metrics-bind-address 0 --health-probe-bind-address 0 \\
    --log-format json --log-level debug > /dev/null 2> "${folder}/operator.log" &
    echo $! > "${folder}/operator.pid"
    tail -n +1 -F "${folder}/operator.log" --pid=$! 2> /dev/null | grep -m1 -q 'everything is read';;
  watch*|*--follow*) timeout --signal=INT 4 "${process.execPath}" "${PROGRAM}" "$@" || true;;
  push*) run "$@" --ca-file "${caFile}";;
  build*) run "$@" --registry-ca-file "${caFile}" --cache-dir "${folder}/cache";;
  init*|validate*|render*|plan*|*--local*) run "$@" ${found};;
  *) run "$@";;
esac
`;
}

/** Somebody who has the files of a guide, and types what stands there. */
export class Reader {
  readonly folder: string;
  readonly #plane: ControlPlane;

  private constructor(plane: ControlPlane, folder: string) {
    this.#plane = plane;
    this.folder = folder;
  }

  static async start(plane: ControlPlane, folder: string): Promise<Reader> {
    const reader = new Reader(plane, folder);
    await reader.write('bin/kubepkg', wrapper({ plane, folder }));
    await chmod(join(folder, 'bin/kubepkg'), 0o755);
    return reader;
  }

  /** With the registry of this cluster in place of the one in the guides. */
  async write(path: string, text: string): Promise<void> {
    const file = join(this.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, this.#placed(text));
  }

  /** Runs every line of a block in one shell, which ends at the first that fails. */
  async type({ text }: Pick<Snippet, 'text'>): Promise<string> {
    const env = {
      ...this.#plane.env,
      KUBECONFIG: this.#plane.kubeconfig,
      HOME: this.folder,
      PATH: [join(this.folder, 'bin'), dirname(this.#plane.binaries.kubectl), this.#plane.env['PATH']].join(':'),
    };
    const options = { cwd: this.folder, env, maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', this.#placed(text)], options);
    return stdout;
  }

  /** The operator that was started beside the shell; it gives the Lease back. */
  async stopOperator(): Promise<void> {
    const pid = await readFile(join(this.folder, 'operator.pid'), 'utf8').catch(() => '');
    await this.type({
      text: pid === '' ? '' : `kill ${pid.trim()}; tail --pid=${pid.trim()} -f /dev/null; rm operator.pid`,
    });
  }

  #placed(text: string): string {
    return text.replaceAll('registry.example.org', this.#plane.registry?.host ?? '').replaceAll(/\bNAME\b/g, 'shop');
  }
}
