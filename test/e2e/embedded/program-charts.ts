import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeYaml } from '../../../src/lib/yaml.ts';

type Files = Readonly<Record<string, unknown>>;

function writeChart(folder: string, name: string, files: Files): string {
  const all = { 'Chart.yaml': { apiVersion: 'v2', name, version: '1.0.0' }, 'values.yaml': { color: 'red' }, ...files };
  for (const [path, content] of Object.entries(all)) {
    const file = join(folder, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : writeYaml(content));
  }
  return join(folder, name);
}

function job(name: string, hook: string): unknown {
  const containers = [{ name: 'task', image: 'registry.example.org/task:1' }];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: { 'helm.sh/hook': hook } },
    spec: { backoffLimit: 0, template: { spec: { restartPolicy: 'Never', containers } } },
  };
}

/** A Job before and after each change, and a pod as a test. */
export function hookedChart(folder: string): string {
  const containers = [{ name: 'task', image: 'registry.example.org/task:1' }];
  return writeChart(folder, 'hooked', {
    'templates/before.yaml': job('before', 'pre-install,pre-upgrade,pre-rollback'),
    'templates/after.yaml': job('after', 'post-install,post-upgrade,post-delete'),
    'templates/test.yaml': {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'check', annotations: { 'helm.sh/hook': 'test' } },
      spec: { restartPolicy: 'Never', containers },
    },
    'templates/settings.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {color: {{ .Values.color | quote }}}\n',
  });
}

/** A kind of its own and an object of it. */
export function definingChart(folder: string): string {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', properties: { color: { type: 'string' }, size: { type: 'integer', default: 3 } } },
    },
  };
  return writeChart(folder, 'defining', {
    'crds/paint.yaml': {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'paints.shop.example.org' },
      spec: {
        group: 'shop.example.org',
        scope: 'Namespaced',
        names: { plural: 'paints', singular: 'paint', kind: 'Paint', listKind: 'PaintList' },
        versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
      },
    },
    'templates/paint.yaml':
      'apiVersion: shop.example.org/v1\nkind: Paint\nmetadata: {name: wall}\nspec: {color: {{ .Values.color | quote }}}\n',
  });
}
