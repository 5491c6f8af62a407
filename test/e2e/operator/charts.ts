import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Files of a chart by path; `Chart.yaml` is added when it is not among them. */
export type ChartFiles = Readonly<Record<string, string>>;

/** Writes a tree with one folder for each chart. */
export async function writeTree(parent: string, charts: Readonly<Record<string, ChartFiles>>): Promise<string> {
  const root = await mkdtemp(join(parent, 'tree-'));
  for (const [name, files] of Object.entries(charts)) {
    const all = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, ...files };
    for (const [path, text] of Object.entries(all)) {
      const file = join(root, name, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }
  return root;
}

/** What the nodes of the rig are asked for, and those of the embedded cluster. */
const RIG = 'sim.kubepkg.dev/';
const EMBEDDED = 'rehearse.kubepkg.dev/';
const EMBEDDED_WORDS: Readonly<Record<string, string>> = { 'crash-loop': 'crash' };

/** Annotations with which a pod behaves in a certain way on either cluster; null takes one away. */
export function podAnnotations<Value extends string | null>(
  behavior: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value | string>> {
  const entries = Object.entries(behavior).flatMap(([key, value]): [string, Value | string][] => {
    const word = value === null ? value : (EMBEDDED_WORDS[value] ?? value);
    return [
      [`${RIG}${key}`, value],
      [`${EMBEDDED}${key === 'behavior' ? 'behaviour' : key}`, word],
    ];
  });
  return Object.fromEntries(entries);
}

/** One Deployment whose pods behave as its values say; a label of it tells the edition of the chart. */
export function deploymentChart(edition = 'first'): ChartFiles {
  return {
    'values.yaml': 'replicas: 1\nimage: example.org/app:1.0.0\nsim: {}\n',
    'templates/app.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  labels: {edition: ${edition}}
spec:
  replicas: {{ .Values.replicas }}
  selector:
    matchLabels: {app: {{ .Release.Name }}}
  template:
    metadata:
      labels: {app: {{ .Release.Name }}}
      annotations: {{ .Values.sim | toJson }}
    spec:
      containers:
        - name: app
          image: {{ .Values.image }}
`,
  };
}

/** One Job that runs as its values say, with the time it takes in an init container. */
export function jobChart(): ChartFiles {
  return {
    'values.yaml': 'sim: {}\n',
    'templates/job.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: {{ .Values.sim | toJson }}
    spec:
      restartPolicy: Never
      initContainers: [{name: wait, image: example.org/wait:1}]
      containers: [{name: job, image: example.org/job:1}]
`,
  };
}

/** Both; how long something runs concerns the Job alone. */
export function loadChart(): ChartFiles {
  const { 'templates/app.yaml': app = '', ...rest } = deploymentChart();
  const names = Object.keys(podAnnotations({ 'run-for': '' })).map((name) => JSON.stringify(name));
  return {
    ...jobChart(),
    ...rest,
    'templates/app.yaml': app.replace('.Values.sim | toJson', `omit .Values.sim ${names.join(' ')} | toJson`),
  };
}

/** One Job that goes as soon as it is done. */
export function vanishingJobChart(): ChartFiles {
  const { 'templates/job.yaml': job = '', ...rest } = jobChart();
  return {
    ...rest,
    'templates/job.yaml': job.replace('backoffLimit: 0', 'backoffLimit: 0\n  ttlSecondsAfterFinished: 0'),
  };
}

export function configMapChart(): ChartFiles {
  return {
    'templates/config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\ndata: {}\n',
  };
}

/** One object of a custom kind, named after the release; its spec is a value. */
export function customResourceChart(apiVersion: string, kind: string, finalizers: readonly string[] = []): ChartFiles {
  return {
    'values.yaml': 'spec: {}\n',
    'templates/object.yaml': `apiVersion: ${apiVersion}
kind: ${kind}
metadata: {name: {{ .Release.Name }}, finalizers: ${JSON.stringify(finalizers)}}
spec: {{ .Values.spec | toJson }}
`,
  };
}

/** A chart whose own hook Job keeps helm busy before anything else is written. */
export function slowHookChart(runFor: string): ChartFiles {
  return {
    ...configMapChart(),
    'templates/hook.yaml': `apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {helm.sh/hook: "pre-install,pre-upgrade", helm.sh/hook-delete-policy: before-hook-creation}
spec:
  backoffLimit: 0
  template:
    metadata:
      annotations: ${JSON.stringify(podAnnotations({ 'run-for': runFor }))}
    spec:
      restartPolicy: Never
      containers: [{name: job, image: example.org/job:1}]
`,
  };
}

/** A Job that is told which versions it migrates between; its name does not change with them. */
export function migrateChart(): ChartFiles {
  const { 'templates/job.yaml': job = '', ...rest } = jobChart();
  const env = `containers:
        - name: job
          image: example.org/job:1
          env:
            - {name: FROM, value: {{ .Values.kubepkg.fromVersion | quote }}}
            - {name: TO, value: {{ .Values.kubepkg.toVersion | quote }}}`;
  return { ...rest, 'templates/job.yaml': job.replace('containers: [{name: job, image: example.org/job:1}]', env) };
}

/** A ConfigMap that says what its values say, and does not go before its finalizers are taken away. */
export function markChart(finalizers: readonly string[] = []): ChartFiles {
  return {
    'values.yaml': 'mark: none\n',
    'templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
  finalizers: ${JSON.stringify(finalizers)}
data: {mark: {{ .Values.mark | quote }}}
`,
  };
}

export interface Definition {
  readonly group: string;
  readonly kind: string;
  readonly annotations?: Readonly<Record<string, string>>;
  /** How long it is described. */
  readonly length?: number;
}

/** The text of a namespaced CRD that takes anything. */
export function definitionText({ group, kind, annotations = {}, length = 1 }: Definition): string {
  const plural = `${kind.toLowerCase()}s`;
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}, annotations: ${JSON.stringify(annotations)}}
spec:
  group: ${group}
  scope: Namespaced
  names: {kind: ${kind}, plural: ${plural}}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true, description: ${'a'.repeat(length)}}}}]
`;
}

/** A finalizer that nobody serves. */
export const HOLD = 'example.org/hold';

/** A chart that has a namespace among its templates. */
export function namespaceChart(name: string): ChartFiles {
  return { 'templates/namespace.yaml': `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${name}}\n` };
}
