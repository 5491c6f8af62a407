import { asKubepkgError, KubepkgError } from '../api/errors.ts';
import type { KubeObject } from '../api/kube.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import { failureOf } from '../helm/errors.ts';
import { translatePreview } from '../helm/helm-call.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { objectsIn } from './author-objects.ts';
import type { Workshop } from './author-workshop.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

/** What a component would be delivered with on a first installation. */
export function firstRelease(
  pkg: string,
  component: DesiredComponent,
  { chart, timeoutMs }: { readonly chart: FetchedChart; readonly timeoutMs: number },
): DesiredRelease {
  const { name, namespace, releaseName, values, skipSchemaValidation, upgradeCRDs, recreate } = component;
  const { healthCheckExprs, waitStrategy } = component;
  return {
    ...{ package: pkg, component: name, namespace, releaseName },
    ...{ token: '', digest: '', chart, values, adopt: false, skipSchemaValidation, upgradeCRDs, recreate, timeoutMs },
    ...(healthCheckExprs.length === 0 ? {} : { healthCheckExprs }),
    ...(waitStrategy === undefined ? {} : { waitStrategy }),
  };
}

export interface RenderWish {
  readonly withCrds: boolean;
  readonly withHooks: boolean;
}

/** As helm renders it without any cluster. */
export async function renderOffline(release: DesiredRelease, wish: RenderWish, workshop: Workshop): Promise<string> {
  if (!release.skipSchemaValidation) await workshop.schemas.refuseRemote(release.chart);
  const { helm } = workshop;
  const version = await helm.version();
  const call = translatePreview(release, { isUpgrade: false, onServer: false, ...wish, version });
  // Nobody runs the tests of a chart on installing it.
  const result = await helm.run(
    { ...call, args: [...call.args, '--skip-tests'] },
    { maxOutputBytes: MAX_MANIFEST_BYTES },
  );
  if (result.exitCode === 0) return result.stdout;
  const { namespace, releaseName, chart, component, package: pkg } = release;
  throw failureOf(result, {
    release: `${namespace}/${releaseName}`,
    values: release.values,
    aborted: false,
    names: [namespace, releaseName, component, pkg, chart.name, chart.version],
    paths: { [chart.path]: `${chart.name}-${chart.version}.tgz` },
  });
}

export interface TriedRelease {
  readonly objects: readonly KubeObject[];
  readonly refusal?: KubepkgError | undefined;
}

/** The same, where what speaks against it is a finding; a missing helm is none. */
export async function tryRelease(release: DesiredRelease, workshop: Workshop): Promise<TriedRelease> {
  try {
    const text = await renderOffline(release, { withCrds: false, withHooks: true }, workshop);
    return { objects: renderedObjects(text, release) };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug' || error.code === 'HelmNotFound' || error.class === 'transient') throw thrown;
    return { objects: [], refusal: error };
  }
}

function renderedObjects(text: string, { namespace, releaseName }: DesiredRelease): readonly KubeObject[] {
  try {
    return objectsIn(text, `what release ${namespace}/${releaseName} renders to`);
  } catch (thrown) {
    const { message } = asKubepkgError(thrown);
    throw new KubepkgError('RenderFailed', message, { hint: 'correct the template', cause: thrown });
  }
}
