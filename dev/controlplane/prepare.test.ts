import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { prepare } from './prepare.ts';

/** Plays Go: `env` answers, `build` writes the programs it was asked for and notes the call. */
const FAKE_GO = `#!/bin/sh
case "$1" in
env) printf '%s\\n' "$FAKE_GO_VERSION" linux amd64; exit 0;;
esac
echo "$PWD $*" >> "$FAKE_GO_CALLS"
if [ -n "$FAKE_GO_ERROR" ]; then
  i=0; while [ $i -lt 40 ]; do echo "go: downloading module $i" >&2; i=$((i+1)); done
  echo "$FAKE_GO_ERROR" >&2; exit 1
fi
while [ "$1" != -o ]; do shift; done
output=$2; shift 2
for package in "$@"; do
  case "$output" in */) file="$output$(basename "$package")";; *) file="$output";; esac
  printf 'built by %s' "$FAKE_GO_VERSION" > "$file"; chmod +x "$file"
done
`;

interface Workshop {
  readonly env: Readonly<Record<string, string>>;
  readonly calls: () => Promise<readonly string[]>;
}

const it = test.extend<{ workshop: Workshop }>({
  workshop: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'kubepkg-prepare-'));
    const bin = join(folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'go'), FAKE_GO);
    await chmod(join(bin, 'go'), 0o755);
    const log = join(folder, 'calls');
    await use({
      env: {
        PATH: `${bin}:/usr/bin:/bin`,
        KUBEPKG_CACHE: join(folder, 'cache'),
        FAKE_GO_CALLS: log,
        FAKE_GO_VERSION: 'go1.26.8',
      },
      calls: async () => (existsSync(log) ? (await readFile(log, 'utf8')).trimEnd().split('\n') : []),
    });
    await rm(folder, { recursive: true });
  },
});

const KUBERNETES = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

describe('prepare', () => {
  it('builds what is asked for, and nothing the second time', async ({ workshop }) => {
    const first = await prepare({ parts: ['etcd'], env: workshop.env });
    expect(await readFile(first.etcd, 'utf8')).toBe('built by go1.26.8');
    expect(await prepare({ parts: ['etcd'], env: workshop.env })).toEqual(first);
    expect(await workshop.calls()).toHaveLength(1);
  });

  it('builds the three parts of Kubernetes in one go, with their version', async ({ workshop }) => {
    const binaries = await prepare({ parts: KUBERNETES, env: workshop.env });
    const calls = await workshop.calls();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain('dev/controlplane/k8s build -trimpath -ldflags=-s -w -X');
    expect(calls[0]).toContain('gitVersion=v1.36.3');
    expect(Object.values(binaries).every(existsSync)).toBe(true);
  });

  it('builds again when Go is another one', async ({ workshop }) => {
    const first = await prepare({ parts: ['kwok'], env: workshop.env });
    const second = await prepare({ parts: ['kwok'], env: { ...workshop.env, FAKE_GO_VERSION: 'go1.27.0' } });
    expect(second.kwok).not.toBe(first.kwok);
    expect(await readFile(second.kwok, 'utf8')).toBe('built by go1.27.0');
  });

  it('builds once when two ask at the same time', async ({ workshop }) => {
    const both = await Promise.all([1, 2].map(() => prepare({ parts: ['etcd', 'kwok'], env: workshop.env })));
    expect(both[0]).toEqual(both[1]);
    expect(await workshop.calls()).toHaveLength(2);
  });

  it('tells what it builds, which of how many, and how long it took', async ({ workshop }) => {
    const lines: string[] = [];
    await prepare({ parts: ['etcd', 'kwok'], env: workshop.env, onProgress: (line) => lines.push(line) });
    expect(lines).toEqual([
      '[1/2] building etcd (3.6.16)',
      '[1/2] building etcd (3.6.16): done in 0 s',
      '[2/2] building kwok (0.8.0)',
      '[2/2] building kwok (0.8.0): done in 0 s',
    ]);
  });

  it('shows the end of what Go said when a build fails, and what to do', async ({ workshop }) => {
    const env = { ...workshop.env, FAKE_GO_ERROR: 'x/y.go:1:2: undefined: z' };
    const failure = await prepare({ parts: ['etcd'], env }).catch((error: unknown) => String(error));
    expect(failure).toMatch(/go build of etcd 3\.6\.16 failed:\n(.*\n)*.*undefined: z\n.*GOPROXY/);
    expect(failure).not.toContain('downloading module 3\n');
    expect((await prepare({ parts: ['etcd'], env: workshop.env })).etcd).toContain('etcd');
  });

  it('names Go when it is missing', async ({ workshop }) => {
    const env = { ...workshop.env, PATH: '/nonexistent' };
    await expect(prepare({ parts: ['etcd'], env })).rejects.toThrow(/"go" is not on PATH.*etcd.*\n.*Install Go/);
  });

  it('names npm when it is missing', async ({ workshop }) => {
    const env = { ...workshop.env, PATH: '/nonexistent' };
    await expect(prepare({ parts: ['helm'], env })).rejects.toThrow(/"npm" is not on PATH/);
  });
});
