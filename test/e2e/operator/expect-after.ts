import { expect } from 'vitest';
import type { KubeObject } from '../../../src/api/kube.ts';
import { isOlderVersion } from '../../../src/lib/resource-version.ts';

/** By the resource versions that the API server gave, which are one sequence for everything. */
export function expectAfter(later: KubeObject | undefined, earlier: KubeObject | undefined): void {
  const [old, young] = [earlier?.metadata.resourceVersion, later?.metadata.resourceVersion];
  expect([typeof old, typeof young]).toEqual(['string', 'string']);
  expect(isOlderVersion(old, young), `${String(old)} comes before ${String(young)}`).toBe(true);
}
