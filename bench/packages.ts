import type { ChartFiles } from '../test/e2e/operator/charts.ts';
import { isReady, type OperatorWorld } from '../test/e2e/operator/world.ts';

export type SourceSpec = Parameters<OperatorWorld['applySource']>[1];

/** A source whose components are a chain of releases named `PACKAGE-COMPONENT`. */
export function chainSource(tree: string, pkg: string, options: ChainOptions): SourceSpec {
  const { namespace, components, requires } = options;
  return {
    version: '1.0.0',
    sourceRef: { kind: 'OCIArtifact', url: tree },
    variants: [
      {
        name: 'default',
        ...(requires === undefined ? {} : { requires: [{ package: requires }] }),
        components: components.map((name) => ({
          name,
          path: 'app',
          install: { namespace, releaseName: `${pkg}-${name}` },
        })),
      },
    ],
  };
}

interface ChainOptions {
  readonly namespace: string;
  readonly components: readonly string[];
  readonly requires?: string;
}

/** Resolves once as many packages are ready as are there; one watch for all of them. */
export function untilAllReady(
  world: Pick<OperatorWorld, 'cluster'>,
  count: number,
  onReady: (count: number) => void = () => undefined,
): Promise<void> {
  const ready = new Set<string>();
  return new Promise((resolve) => {
    const subscription = world.cluster.watch({ apiVersion: 'kubepkg.dev/v1', kind: 'Package' }, (event) => {
      if (event.type !== 'set' || !isReady(event.object)) return;
      if (ready.has(event.object.metadata.name)) return;
      ready.add(event.object.metadata.name);
      onReady(ready.size);
      if (ready.size < count) return;
      queueMicrotask(() => {
        subscription.stop();
      });
      resolve();
    });
  });
}

interface ChartChoice {
  readonly replicas?: number;
  /** What tells one version of the chart from another, in one of the objects. */
  readonly greeting?: string;
}

/** Four objects that start nothing unless there are replicas: what is measured is the delivery. */
export function fourObjectsChart({ replicas = 0, greeting = 'hello' }: ChartChoice = {}): ChartFiles {
  return {
    'templates/all.yaml': `apiVersion: v1
kind: ServiceAccount
metadata: {name: "{{ .Release.Name }}"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: "{{ .Release.Name }}"}
data: {greeting: ${greeting}}
---
apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec: {selector: {app: "{{ .Release.Name }}"}, ports: [{port: 80}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  replicas: ${String(replicas)}
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {containers: [{name: app, image: "example.org/app:1"}]}
`,
  };
}
