import { isCode, KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refOf } from '../../api/kube.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { awaitCrd } from './await-crd.ts';
import { enabledCrds, readCrdFiles } from './chart-crds.ts';
import { isCrd } from './ownership.ts';
import { placedObjects, render } from './preview.ts';
import type { HelmTools } from './tools.ts';

/**
 * Creates what the `crds/` folders of the chart and its enabled subcharts hold, and waits until those kinds can be
 * used. What exists already is left as it is, whoever made it; a delivery that was killed here just goes on. Costs a
 * rendering, and only where a chart has such folders.
 */
export async function createCrds(release: DesiredRelease, signal: AbortSignal, tools: HelmTools): Promise<void> {
  const texts = await readCrdFiles(release.chart.path);
  if (texts.length === 0) return;
  const crds: string[] = [];
  for (const text of enabledCrds(await renderWithCrds(release, signal, tools), texts)) {
    for (const object of await placedObjects(text, release, tools)) {
      if (signal.aborted) throw new KubepkgError('HelmKilled', 'stopped while CRDs of the chart were created');
      await createMissing(object, tools.cluster);
      if (isCrd(refOf(object))) crds.push(object.metadata.name);
    }
  }
  for (const name of crds) await awaitCrd(name, tools.cluster, signal);
}

/** Without the API server, as the kinds are not there yet; with it where a chart insists on one. */
async function renderWithCrds(release: DesiredRelease, signal: AbortSignal, tools: HelmTools): Promise<string> {
  const mode = { isUpgrade: false, withCrds: true, signal };
  try {
    return await render(release, { ...mode, onServer: false }, tools);
  } catch (error) {
    if (!isCode(error, 'RenderFailed', 'ChartInvalid')) throw error;
    return render(release, { ...mode, onServer: true }, tools);
  }
}

async function createMissing(object: KubeObject, cluster: Cluster): Promise<void> {
  try {
    await cluster.write({ verb: 'create', object });
  } catch (error) {
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
  }
}
