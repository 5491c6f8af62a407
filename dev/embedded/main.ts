import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiAccess, mustCallApi } from '../controlplane/api-client.ts';
import { startControlPlane } from '../controlplane/control-plane.ts';
import { prepare } from '../controlplane/prepare.ts';
import { findProjectRoot } from '../controlplane/project-root.ts';
import { recordAnswers, recordCustomAnswers, recordTables } from './answers.ts';
import { compactDefinitions, type OpenApiDocument } from './definitions.ts';
import { type CompactResource, pathOf, readColumns, readDiscovery, resourcesOf } from './discovery.ts';
import { readFields } from './go-types.ts';

/**
 * Asks a real API server which kinds it serves and how they look, and writes that down for the embedded one:
 * `node dist/dev/extract-kinds.js`, after `make build`. Descriptions are left behind.
 */
const TARGET = 'src/embedded/kinds/data/kinds.json';

const GROUP_VERSIONS = [
  'v1',
  'apps/v1',
  'batch/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'policy/v1',
  'networking.k8s.io/v1',
  'rbac.authorization.k8s.io/v1',
  'storage.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'node.k8s.io/v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'certificates.k8s.io/v1',
  'authorization.k8s.io/v1',
  'authentication.k8s.io/v1',
];

const root = findProjectRoot();
const plane = await startControlPlane({ binaries: await prepare({ onProgress: console.error }) });
try {
  const access = { url: plane.url, ca: plane.ca, token: plane.tokenFor('admin') };
  const resources = await readResources(access);
  const text = await extract(access, resources);
  writeFileSync(join(root, TARGET), text);
  console.error(`${TARGET}: ${String(Math.round(text.length / 1024))} KiB`);
  await recordAnswers(access, join(root, 'src/embedded/kinds/testdata'), resources);
  await recordTables(access, join(root, 'src/embedded/kinds/testdata'), resources);
  await recordCustomAnswers(access, join(root, 'src/embedded/schema/testdata'));
} finally {
  await plane.stop();
}

async function readResources(access: ApiAccess): Promise<readonly CompactResource[]> {
  const groups = await readDiscovery(access);
  const resources = GROUP_VERSIONS.flatMap((groupVersion) => resourcesOf(groups, groupVersion));
  return Promise.all(
    resources.map(async (resource) => ({ ...resource, columns: await readColumns(access, resource) })),
  );
}

async function extract(access: ApiAccess, resources: readonly CompactResource[]): Promise<string> {
  const documents = await Promise.all(
    GROUP_VERSIONS.map((groupVersion) => mustCallApi(access, { path: `/openapi/v3${pathOf(groupVersion)}` })),
  );
  const { gitVersion } = (await mustCallApi(access, { path: '/version' })) as { readonly gitVersion: string };
  const fields = await readFields(join(root, 'dev/controlplane/k8s'));
  return format({
    version: gitVersion,
    resources,
    definitions: compactDefinitions(documents as readonly OpenApiDocument[], fields),
  });
}

/** One resource or definition a line, so that a change of the API server's version can be read as a difference. */
function format(kinds: { version: string; resources: readonly CompactResource[]; definitions: object }): string {
  const resources = kinds.resources.map((resource) => JSON.stringify(resource)).join(',\n');
  const definitions = Object.entries(kinds.definitions)
    .map(([name, definition]) => `${JSON.stringify(name)}:${JSON.stringify(definition)}`)
    .join(',\n');
  return `{"version":${JSON.stringify(kinds.version)},\n"resources":[\n${resources}\n],\n"definitions":{\n${definitions}\n}}\n`;
}
