import type { KubeObject, ObjectRef } from '../api/kube.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { readChartContents } from './chart-contents.ts';
import { enabledCrds } from './chart-crds.ts';
import { crdPolicy } from './crd-policy.ts';
import { HOOK, hookDocuments } from './hook-objects.ts';
import { placedObjects, renderOfflineFirst, renderOnServerFirst } from './preview.ts';
import type { ChartTools } from './tools.ts';
import type { DeliveryMode } from './helm-call.ts';

/** What a delivery has to know before helm is started. */
export interface ExaminedChart {
  /** What the `crds/` folders of the chart and its enabled subcharts hold, in order; nothing where it is not wanted. */
  readonly crds: readonly KubeObject[];
  /** The objects of the hooks that helm would run, or run at the removal. */
  readonly hooks: readonly ObjectRef[];
}

/** Costs a rendering, and only where a chart has such folders or may have hooks. */
export async function examineChart(
  release: DesiredRelease,
  { mode, signal }: { readonly mode: DeliveryMode; readonly signal: AbortSignal },
  tools: ChartTools,
): Promise<ExaminedChart> {
  const { crds, mayHaveHooks } = await readChartContents(release.chart.path);
  const withCrds = crds.length > 0 && crdPolicy(release, mode) !== 'Skip';
  // Adopted is whatever is in the way.
  const withHooks = !release.adopt && (mayHaveHooks || JSON.stringify(release.values).includes(HOOK));
  if (!withCrds && !withHooks) return { crds: [], hooks: [] };
  // Whether an object is a hook can depend on what the cluster has; whether a subchart is enabled does not.
  const render = withHooks ? renderOnServerFirst : renderOfflineFirst;
  const rendered = await render(release, { isUpgrade: mode === 'upgrade', withCrds, withHooks, signal }, tools);
  const documents = withHooks ? hookDocuments(rendered, mode) : [];
  return {
    crds: withCrds ? await objectsOf(enabledCrds(rendered, crds), release, tools) : [],
    hooks: (await tools.store.placed(documents, release.namespace)).map(({ ref }) => ref),
  };
}

async function objectsOf(
  texts: readonly string[],
  release: DesiredRelease,
  tools: ChartTools,
): Promise<readonly KubeObject[]> {
  const objects: KubeObject[] = [];
  for (const text of texts) objects.push(...(await placedObjects(text, release, tools)));
  return objects;
}
