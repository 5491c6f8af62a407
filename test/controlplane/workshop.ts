import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Plays Go: `env` answers, everything else writes or names the files it was asked for and notes the call. */
const FAKE_GO = `
case "$1" in
env) printf '%s\\n' "$FAKE_GO_VERSION" linux amd64; exit 0;;
esac
echo "$PWD $*" >> "$FAKE_GO_CALLS"
while [ -e "$FAKE_GO_HOLD" ]; do sleep 0.05; done
if [ -n "$FAKE_GO_FAULTS" ] && [ "$(wc -l < "$FAKE_GO_CALLS")" -le "$FAKE_GO_FAULTS" ]; then
  echo 'example.org/x@v1.0.0: Get "https://proxy.example.org/x": net/http: TLS handshake timeout' >&2; exit 1
fi
if [ -n "$FAKE_GO_ERROR" ]; then
  i=0; while [ $i -lt 40 ]; do echo "go: downloading module $i" >&2; i=$((i+1)); done
  echo "$FAKE_GO_ERROR" >&2; exit 1
fi
case "$1" in
mod) printf '{"Dir": "%s"}' "$FAKE_GO_MODULE"; exit 0;;
tool)
  for argument in "$@"; do
    case "$argument" in output:crd:dir=*) echo 'generated' > "\${argument#output:crd:dir=}/crd.yaml";; esac
  done
  exit 0;;
esac
while [ "$1" != -o ]; do shift; done
output=$2; shift 2
for package in "$@"; do
  case "$output" in */) file="$output$(basename "$package")";; *) file="$output";; esac
  printf 'built by %s' "$FAKE_GO_VERSION" > "$file"; chmod +x "$file"
done`;

/** A machine with a Go of ours and an empty cache. */
export interface Workshop {
  readonly env: Readonly<Record<string, string>>;
  /** What Go was asked to make so far: folder and arguments. */
  calls(): Promise<readonly string[]>;
  addProgram(name: string, script: string): Promise<void>;
  /** Builds that were started do not end before what this returns is called. */
  holdBuilds(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export async function openWorkshop(): Promise<Workshop> {
  const folder = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
  const bin = join(folder, 'bin');
  const calls = join(folder, 'calls');
  const hold = join(folder, 'hold');
  const addProgram = async (name: string, script: string): Promise<void> => {
    await writeFile(join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(bin, name), 0o755);
  };
  const crds = join(folder, 'module', 'manifests', 'crds');
  await mkdir(bin);
  await mkdir(crds, { recursive: true });
  for (const name of ['application', 'appproject', 'applicationset'])
    await writeFile(join(crds, `${name}-crd.yaml`), name);
  await addProgram('go', FAKE_GO);
  return {
    env: {
      PATH: `${bin}:/usr/bin:/bin`,
      KUBEPKG_CACHE: join(folder, 'cache'),
      FAKE_GO_CALLS: calls,
      FAKE_GO_HOLD: hold,
      FAKE_GO_MODULE: join(folder, 'module'),
      FAKE_GO_VERSION: 'go1.26.8',
    },
    calls: async () => (existsSync(calls) ? (await readFile(calls, 'utf8')).trimEnd().split('\n') : []),
    addProgram,
    holdBuilds: async () => {
      await writeFile(hold, '');
      return () => rm(hold, { force: true });
    },
    close: () => rm(folder, { recursive: true }),
  };
}

/** The command line tool as one file, as the demo has it. */
export async function bundleTool(folder: string): Promise<string> {
  const outfile = join(folder, 'controlplane.mjs');
  await build({
    entryPoints: ['dev/controlplane/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import{createRequire as c}from'node:module';const require=c(import.meta.url);" },
  });
  return outfile;
}
