import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { applyObject, callApi } from './api-client.ts';
import type { Rig } from './rig.ts';
import { waitFor } from './rig.ts';

interface Definition {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
}

/** Applies all CustomResourceDefinitions of a folder; returns when their objects can be listed. */
export async function applyDefinitions(rig: Rig, folder: string): Promise<void> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  await Promise.all(files.map((file) => applyDefinition(rig, join(folder, file))));
}

async function applyDefinition(rig: Rig, file: string): Promise<void> {
  const { access } = rig.setup;
  const definition = load(await readFile(file, 'utf8')) as Definition;
  const { name } = definition.metadata;
  await applyObject(access, `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`, definition);
  // Established is not enough: the server opens the paths a little later.
  await waitFor(rig, name, async () => {
    const answers = await Promise.all(pathsOf(definition).map((path) => callApi(access, { path })));
    return answers.every(({ status }) => status === 200);
  });
}

function pathsOf({ spec }: Definition): readonly string[] {
  const { group, names, versions } = spec;
  return versions.filter(({ served }) => served).map(({ name }) => `/apis/${group}/${name}/${names.plural}?limit=1`);
}
