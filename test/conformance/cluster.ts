import { afterAll, beforeAll, describe } from 'vitest';
import { listCases, readCases } from './cluster-read-cases.ts';
import { authorizationCases, discoveryCases, namespaceCases, validationCases } from './cluster-server-cases.ts';
import { connectionCases, watchCases } from './cluster-watch-cases.ts';
import { type ConformanceOptions, World } from './cluster-world.ts';
import { writeCases } from './cluster-write-cases.ts';

/** What every `Cluster` does, written against the port alone. */
export function clusterConformance(name: string, options: ConformanceOptions): void {
  describe(`cluster conformance: ${name}`, () => {
    const world = new World(options);
    beforeAll(() => world.start());
    afterAll(() => world.close());
    readCases(world);
    writeCases(world);
    listCases(world);
    watchCases(world);
    discoveryCases(world);
    namespaceCases(world);
    if (options.capabilities.includes('authorization')) authorizationCases(world);
    if (options.capabilities.includes('validation')) validationCases(world);
    if (options.capabilities.includes('connections')) connectionCases(world);
  });
}
