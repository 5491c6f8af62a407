import { describe, expect, it } from 'vitest';
import { judgeImport, judgePackage, roomOf } from './floors.mjs';

describe('judgeImport', () => {
  it.each([
    ['a file of its own room', 'src/engine/a.ts', 'src/engine/b/c.ts', true],
    ['a lower floor', 'src/engine/a.ts', 'src/domain/plan/plan.ts', true],
    ['a higher floor', 'src/domain/plan/plan.ts', 'src/engine/a.ts', false],
    ['ports, seen from the domain', 'src/domain/decide/a.ts', 'src/ports/backend.ts', false],
    ['an earlier step of the domain', 'src/domain/decide/a.ts', 'src/domain/release/b.ts', true],
    ['a later step of the domain', 'src/domain/release/a.ts', 'src/domain/decide/b.ts', false],
    ['a neighbour on the same step of the domain', 'src/domain/resolve/a.ts', 'src/domain/ordering/b.ts', false],
    ['another backend', 'src/backends/helm/a.ts', 'src/backends/flux/b.ts', false],
    ['another adapter', 'src/adapters/oci/a.ts', 'src/adapters/kube/b.ts', false],
    ['an adapter, seen from a backend', 'src/backends/helm/a.ts', 'src/adapters/kube/b.ts', false],
    ['a backend, seen from the engine', 'src/engine/a.ts', 'src/backends/helm/b.ts', false],
    ['a backend, picked by compose', 'src/compose/a.ts', 'src/backends/helm/b.ts', true],
    ['a backend, picked by the command line', 'src/cli/a.ts', 'src/backends/helm/b.ts', false],
    ['an adapter, used by the command line', 'src/cli/a.ts', 'src/adapters/log/b.ts', true],
    ['both clocks, seen from the entry', 'src/main.ts', 'src/operator/run.ts', true],
    ['a backend, picked by the entry', 'src/main.ts', 'src/backends/helm/b.ts', false],
    ['the entry, seen from the command line', 'src/cli/a.ts', 'src/main.ts', false],
    ['the operator, seen from the command line', 'src/cli/main.ts', 'src/operator/main.ts', false],
    ['a file that stands on no floor', 'src/lib/a.ts', 'src/domain/types.ts', false],
    ['a helper of the tests, seen from the product', 'src/lib/a.ts', 'test/build/pod.ts', false],
    ['a helper of the tests, seen from a test', 'src/lib/a.test.ts', 'test/build/pod.ts', true],
    ['another adapter, seen from a test', 'src/adapters/oci/a.test.ts', 'src/adapters/clock/b.ts', true],
    ['a higher floor, seen from a test', 'src/lib/a.test.ts', 'src/api/errors.ts', false],
    ['anything, seen from the tools', 'dev/demo/main.ts', 'src/engine/a.ts', true],
  ])('%s', (_name, from, to, allowed) => {
    expect(judgeImport(from, to) === undefined).toBe(allowed);
  });
});

describe('judgePackage', () => {
  it.each([
    ['a package on the list of its floor', 'src/api/package.ts', 'zod', true],
    ['a package below its floor', 'src/domain/plan/plan.ts', 'zod', false],
    ['a subpath of a listed package', 'src/api/package.ts', 'zod/mini', true],
    ['a scoped package', 'src/cli/main.ts', '@commander-js/extra-typings', true],
    ['a Node module in a decision', 'src/domain/plan/plan.ts', 'node:fs', false],
    ['a Node module in an adapter', 'src/adapters/kube/client.ts', 'node:https', true],
    ['a package in a test', 'src/lib/graph.test.ts', 'vitest', true],
  ])('%s', (_name, from, specifier, allowed) => {
    expect(judgePackage(from, specifier) === undefined).toBe(allowed);
  });
});

describe('roomOf', () => {
  it.each([
    ['src/adapters/kube/deep/file.ts', 'adapters/kube'],
    ['src/adapters/file.ts', undefined],
    ['src/domain/plan/plan.ts', 'domain/plan'],
    ['src/file.ts', undefined],
    ['src/main.ts', 'main.ts'],
    ['test/build/pod.ts', undefined],
  ])('%s is in %s', (path, name) => {
    expect(roomOf(path)?.name).toBe(name);
  });
});
