import { isCode } from '../../../src/api/errors.ts';
import type { KubeObject } from '../../../src/api/kube.ts';
import { asString, at, isRecord } from '../../../src/lib/json.ts';
import { stableJson } from '../../../src/lib/stable-json.ts';
import type { Cluster } from '../../../src/ports/cluster.ts';
import { SOURCE_API } from './source.ts';
import type { ChartSource, ObjectName } from './spec.ts';
import type { WorkingCopy } from './working-copy.ts';

const OWNER = 'helm.toolkit.fluxcd.io';

export interface TemplateChange {
  readonly kind: 'Created' | 'Configured';
  /** As it was written: the source-controller has not seen it yet. */
  readonly chart: KubeObject;
}

/**
 * The HelmChart that a `spec.chart` describes; the source-controller fetches it [26: created before anything is written,
 * status.helmChart in the second write]. One that is not described any more is deleted, and so is it with the HelmRelease.
 */
export async function reconcileChartTemplate(copy: WorkingCopy, cluster: Cluster): Promise<TemplateChange | undefined> {
  const { chart } = copy.spec;
  const known = copy.status.helmChart;
  const wanted = chart.kind === 'template' ? `${chart.name.namespace}/${chart.name.name}` : undefined;
  if (known !== undefined && known !== '' && (known !== wanted || copy.isBeingDeleted)) {
    await deleteChart(known, cluster);
    copy.update({ helmChart: undefined });
  }
  if (chart.kind !== 'template' || copy.isBeingDeleted) return undefined;
  const change = await applyChart(chart, copy, cluster);
  copy.update({ helmChart: wanted });
  return change;
}

async function applyChart(
  chart: Extract<ChartSource, { kind: 'template' }>,
  copy: WorkingCopy,
  cluster: Cluster,
): Promise<TemplateChange | undefined> {
  const object = helmChart(chart, copy);
  const { name, namespace = '' } = object.metadata;
  const live = await cluster.read({ apiVersion: SOURCE_API, kind: 'HelmChart', namespace, name });
  const written = await cluster.write({ verb: 'apply', object, force: true });
  if (live === undefined) return { kind: 'Created', chart: written };
  const isSame = stableJson(live['spec']) === stableJson(written['spec']);
  return isSame ? undefined : { kind: 'Configured', chart: written };
}

function helmChart(chart: Extract<ChartSource, { kind: 'template' }>, copy: WorkingCopy): KubeObject {
  const spec = at(chart.template, 'spec');
  const metadata = at(chart.template, 'metadata');
  const fields = isRecord(spec) ? spec : {};
  const { sourceRef, interval, ...rest } = fields;
  return {
    apiVersion: SOURCE_API,
    kind: 'HelmChart',
    metadata: {
      ...chart.name,
      labels: {
        ...textsIn(metadata, 'labels'),
        [`${OWNER}/name`]: copy.name,
        [`${OWNER}/namespace`]: copy.namespace,
      },
      annotations: textsIn(metadata, 'annotations'),
    },
    spec: {
      ...rest,
      sourceRef: { kind: at(sourceRef, 'kind'), name: at(sourceRef, 'name') },
      interval: interval ?? at(copy.spec.raw, 'interval'),
    },
  };
}

async function deleteChart(known: string, cluster: Cluster): Promise<void> {
  const [namespace = '', name = ''] = known.split('/');
  const chart: ObjectName = { namespace, name };
  try {
    await cluster.write({ verb: 'delete', ref: { apiVersion: SOURCE_API, kind: 'HelmChart', ...chart } });
  } catch (error) {
    if (!isCode(error, 'ApiNotFound')) throw error;
  }
}

function textsIn(value: unknown, field: string): Readonly<Record<string, string>> {
  const found = at(value, field);
  if (!isRecord(found)) return {};
  return Object.fromEntries(Object.entries(found).map(([key, text]) => [key, asString(text) ?? '']));
}
