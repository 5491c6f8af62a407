import { readFile } from 'node:fs/promises';
import { inject } from 'vitest';
import '../setup/provided.ts';
import { registryConformance } from './registry.ts';

registryConformance('a real registry', async () => {
  const { host, caFile } = inject('registry');
  return { host, ca: await readFile(caFile, 'utf8'), close: () => Promise.resolve() };
});
