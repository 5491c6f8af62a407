import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';
import { setTimeout } from 'node:timers/promises';
import { type ApiAccess, applyObject, callApi } from '../controlplane/api-client.ts';
import { type CompactResource, pathOf, readDiscovery, resourcesOf } from './discovery.ts';

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

interface TableRow {
  readonly cells: unknown;
  readonly object: Manifest;
}

/** What differs from one run to the next. */
const FLEETING = ['uid', 'creationTimestamp', 'managedFields', 'resourceVersion', 'selfLink'];

/** The same for custom kinds: the definitions of definitions.yaml are made first. */
export async function recordCustomAnswers(access: ApiAccess, folder: string): Promise<void> {
  const definitions = manifestsOf(join(folder, 'definitions.yaml'));
  for (const definition of definitions) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
    await applyObject(access, path, definition);
  }
  const resources = await waitForKinds(access, definitions.length);
  const answers = [];
  for (const manifest of manifestsOf(join(folder, 'created.yaml'))) {
    const path = `${collectionOf(manifest, resources)}?dryRun=All&fieldValidation=Ignore`;
    answers.push(await send(access, { method: 'POST', path }, manifest));
  }
  write(join(folder, 'created.json'), answers);
  write(
    join(folder, 'updates.json'),
    await recordUpdates(access, manifestsOf(join(folder, 'updates.yaml')), resources),
  );
}

async function waitForKinds(access: ApiAccess, count: number): Promise<readonly CompactResource[]> {
  for (let tries = 0; tries < 100; tries += 1) {
    const groups = await readDiscovery(access);
    const served = groups.some(({ metadata }) => metadata.name === CUSTOM_GROUP);
    const resources = served ? resourcesOf(groups, `${CUSTOM_GROUP}/v1`) : [];
    if (resources.length === count) return resources;
    await setTimeout(100);
  }
  throw new Error('The custom kinds are not served after 10 s.');
}

const CUSTOM_GROUP = 'test.example.org';

/**
 * Records what a real API server answers to the manifests of a folder, for tests that need none: to those of
 * accepted.yaml and rejected.yaml when they are created, to those of updates.yaml when the second of two replaces the
 * first.
 */
export async function recordAnswers(
  access: ApiAccess,
  folder: string,
  resources: readonly CompactResource[],
): Promise<void> {
  for (const name of ['accepted', 'rejected']) {
    const answers = [];
    for (const manifest of manifestsOf(join(folder, `${name}.yaml`))) {
      answers.push(
        await send(access, { method: 'POST', path: `${collectionOf(manifest, resources)}?${DRY_RUN}` }, manifest),
      );
    }
    write(join(folder, `${name}.json`), answers);
  }
  write(
    join(folder, 'updates.json'),
    await recordUpdates(access, manifestsOf(join(folder, 'updates.yaml')), resources),
  );
}

/**
 * Makes the objects of accepted.yaml and records, once controllers have seen them, how the API server shows them in
 * tables: a few of each kind, with the object that a row is of.
 */
export async function recordTables(
  access: ApiAccess,
  folder: string,
  resources: readonly CompactResource[],
): Promise<void> {
  for (const manifest of manifestsOf(join(folder, 'accepted.yaml'))) {
    await send(access, { method: 'POST', path: collectionOf(manifest, resources) }, manifest);
  }
  await setTimeout(SETTLED_MS);
  const rows: unknown[] = [];
  for (const { group, version, plural, verbs } of resources) {
    if (!verbs.includes('list')) continue;
    const path = `${pathOf(group === '' ? version : `${group}/${version}`)}/${plural}?includeObject=Object`;
    const { body } = await callApi(access, { path, accept: TABLE });
    const table = JSON.parse(body) as { readonly rows: readonly TableRow[] | null };
    for (const { cells, object } of (table.rows ?? []).slice(0, SHOWN))
      rows.push({ cells, object: withoutManagers(object) });
  }
  writeFileSync(join(folder, 'tables.json'), `[\n${rows.map((row) => JSON.stringify(row)).join(',\n')}\n]\n`);
}

const TABLE = 'application/json;as=Table;g=meta.k8s.io;v=v1';
const SETTLED_MS = 3000;
const SHOWN = 4;

function withoutManagers(object: Manifest): object {
  const metadata = Object.entries(object.metadata).filter(([name]) => name !== 'managedFields');
  return { ...object, metadata: Object.fromEntries(metadata) };
}

const DRY_RUN = 'dryRun=All&fieldValidation=Strict';

async function recordUpdates(
  access: ApiAccess,
  manifests: readonly Manifest[],
  resources: readonly CompactResource[],
): Promise<readonly Answer[]> {
  const answers: Answer[] = [];
  for (let index = 0; index + 1 < manifests.length; index += 2) {
    const [before, after] = manifests.slice(index, index + 2) as [Manifest, Manifest];
    const collection = collectionOf(before, resources);
    const created = await send(access, { method: 'POST', path: collection }, before);
    if (created.status !== 201)
      throw new Error(`${before.kind} ${before.metadata.name}: ${JSON.stringify(created.body)}`);
    const path = `${collection}/${before.metadata.name}`;
    answers.push(created, await change(access, `${path}?${DRY_RUN}`, after));
    await callApi(access, { method: 'DELETE', path: `${path}?propagationPolicy=Background` });
  }
  return answers;
}

/** As a merge patch, because what the API server gave an object has to stay: the selector of a Job, the newest version. */
function change(access: ApiAccess, path: string, after: Manifest): Promise<Answer> {
  return send(access, { method: 'PATCH', path, contentType: 'application/merge-patch+json' }, after);
}

function manifestsOf(file: string): readonly Manifest[] {
  return loadAll(readFileSync(file, 'utf8')) as Manifest[];
}

function collectionOf({ apiVersion, kind }: Manifest, resources: readonly CompactResource[]): string {
  const resource = resources.find((one) => one.kind === kind && groupVersionOf(one) === apiVersion);
  if (resource === undefined) throw new Error(`${kind} in ${apiVersion} is not served.`);
  const namespace = resource.namespaced ? '/namespaces/default' : '';
  return `${pathOf(apiVersion)}${namespace}/${resource.plural}`;
}

function groupVersionOf({ group, version }: CompactResource): string {
  return group === '' ? version : `${group}/${version}`;
}

async function send(
  access: ApiAccess,
  call: { readonly method: 'POST' | 'PATCH'; readonly path: string; readonly contentType?: string },
  body: Manifest,
): Promise<Answer> {
  const answer = await callApi(access, { ...call, body });
  const parsed = JSON.parse(answer.body) as Record<string, unknown>;
  const metadata = Object.entries(parsed['metadata'] ?? {}).filter(([name]) => !FLEETING.includes(name));
  return { status: answer.status, body: { ...parsed, metadata: Object.fromEntries(metadata) } };
}

function write(file: string, answers: readonly Answer[]): void {
  const lines = answers.map((answer) => JSON.stringify(answer)).join(',\n');
  writeFileSync(file, `[\n${lines}\n]\n`);
}
