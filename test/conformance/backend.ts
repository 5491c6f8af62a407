import { afterAll, beforeAll, describe } from 'vitest';
import { deliveryCases } from './backend-delivery-cases.ts';
import { ownershipCases } from './backend-ownership-cases.ts';
import { previewCases } from './backend-preview-cases.ts';
import { removalCases } from './backend-removal-cases.ts';
import { troubleCases } from './backend-trouble-cases.ts';
import { type BackendConformance, BackendWorld } from './backend-world.ts';

/** What every `Backend` does, written against the port alone. The numbers are those of the list in the style guide. */
export function backendConformance(name: string, options: BackendConformance): void {
  describe(`backend conformance: ${name}`, () => {
    const world = new BackendWorld(options);
    beforeAll(() => world.start());
    afterAll(() => world.close());
    deliveryCases(world);
    ownershipCases(world, options.capabilities);
    removalCases(world, options.capabilities);
    troubleCases(world, options.capabilities);
    previewCases(world, options.capabilities);
  });
}
