import type { BackendName } from '../operator/backends/backend.ts';
import {
  type ChartFiles,
  configMapChart,
  customResourceChart,
  definitionText,
  deploymentChart,
  HOLD,
  jobChart,
  loadChart,
  markChart,
  migrateChart,
  namespaceChart,
  vanishingJobChart,
} from '../operator/charts.ts';
import { customKind, FakeOperator } from '../operator/fake-operator.ts';
import { OperatorWorld } from '../operator/world.ts';
import { publishCharts, type PublishedCharts } from './published-charts.ts';

/** What all cases of one backend share. */
export interface Stage {
  readonly world: OperatorWorld;
  /** Of the charts below. */
  readonly tree: string;
  readonly published: PublishedCharts;
  /** Serves objects of `PART`. */
  readonly parts: FakeOperator;
  stop(): Promise<void>;
}

export const PART = { apiVersion: 'parts.example.org/v1', kind: 'Part' } as const;
export const GROUP = 'promises.example.org';
export const KEEP = { 'helm.sh/resource-policy': 'keep' };

/** The size that no annotation can hold. */
const LARGE = 300_000;

const CHARTS: Readonly<Record<string, ChartFiles>> = {
  app: deploymentChart(),
  next: deploymentChart('next'),
  job: jobChart(),
  vanishing: vanishingJobChart(),
  load: loadChart(),
  config: configMapChart(),
  mark: markChart(),
  held: markChart([HOLD]),
  migrate: migrateChart(),
  space: { ...namespaceChart('promised-space'), ...deploymentChart() },
  part: customResourceChart(PART.apiVersion, PART.kind),
  broken: {
    ...deploymentChart(),
    'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: left-over}\n',
    'templates/z.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: Not_A_Name}\n',
  },
  sized: {
    ...configMapChart(),
    'values.schema.json': JSON.stringify({ type: 'object', properties: { size: { type: 'integer' } } }),
  },
  operator: {
    ...deploymentChart(),
    'templates/crd.yaml': definitionText({ group: GROUP, kind: 'Engine' }),
    'templates/kept.yaml': definitionText({ group: GROUP, kind: 'Keeper', annotations: KEEP }),
    'crds/part.yaml': definitionText({ group: GROUP, kind: 'Valve' }),
  },
  engine: customResourceChart(`${GROUP}/v1`, 'Engine', [HOLD]),
  definition: { 'templates/crd.yaml': definitionText({ group: GROUP, kind: 'Widget' }) },
  widget: customResourceChart(`${GROUP}/v1`, 'Widget'),
  large: { 'templates/crd.yaml': definitionText({ group: GROUP, kind: 'Giant', length: LARGE }) },
};

/** How it is carried out, besides by an operator on the real control plane. */
export interface StageOptions {
  /** The operator is one inside of another command. */
  readonly local?: boolean;
  /** On the embedded cluster. */
  readonly embedded?: boolean;
}

export async function startStage(
  backend: BackendName,
  { local = false, embedded = false }: StageOptions,
): Promise<Stage> {
  const world = embedded ? await OperatorWorld.startEmbedded() : await OperatorWorld.start({ backend, local });
  await world.cluster.write({ verb: 'create', object: customKind('parts.example.org', PART.kind) });
  const parts = new FakeOperator({ ...PART, cluster: world.cluster });
  const tree = await world.push('promises/tree', CHARTS);
  const published = await publishCharts(world);
  await world.startOperator();
  return {
    world,
    tree,
    published,
    parts,
    stop: async () => {
      parts.stop();
      published.repository.stop();
      published.guarded.stop();
      await world.stop();
    },
  };
}
