import { isCode, KubepkgError } from '../../api/errors.ts';
import { type CrdStep, planCrds } from '../../helm/create-crds.ts';
import { crdPolicy } from '../../helm/crd-policy.ts';
import { examineChart } from '../../helm/examine-chart.ts';
import { refuseForeignHooks } from '../../helm/foreign-hooks.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { renderOnServerFirst } from '../../helm/preview.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import { refuseForeignCompanions } from './companions.ts';
import type { FluxTools } from './tools.ts';
import { type FluxObjects, translate } from './translate.ts';

/** Names that source-controller takes for a chart of an HTTP repository. */
const HTTP_CHART_NAME = /^([-a-z0-9]+\/?\.?)+$/;

export interface Examined {
  readonly crds: readonly CrdStep[];
  readonly objects: FluxObjects;
}

/**
 * All that must be right before anything is written. It is rendered here first: what does not render would be tried by
 * helm-controller without end, with the release left at a spec that cannot be delivered.
 */
export async function examine(
  release: DesiredRelease,
  {
    mode,
    heads,
    signal,
  }: { readonly mode: DeliveryMode; readonly heads: readonly RecordHead[]; readonly signal: AbortSignal },
  tools: FluxTools,
): Promise<Examined> {
  if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
  const takesOwnership = release.adopt;
  await renderOnServerFirst(release, { isUpgrade: mode === 'upgrade', takesOwnership, signal }, tools);
  const { crds, hooks } = await examineChart(release, { mode, signal }, tools);
  await refuseForeignHooks(hooks, { release, heads }, tools);
  const steps = await planCrds(crds, { release, policy: crdPolicy(release, mode) }, tools.cluster);
  const location = await tools.charts.locate(release.chart, signal);
  if (location.kind === 'http' && !HTTP_CHART_NAME.test(location.name)) throw unsupportedName(location.name);
  const objects = translate(release, { location, options: tools.options, now: tools.clock.now() });
  await refuseForeignCompanions([objects.source, objects.values], release, tools.cluster);
  return { crds: steps, objects };
}

/** Found while nothing was written yet. */
export function isRefusal(error: unknown): error is KubepkgError {
  return isCode(
    error,
    ...([
      'ValuesInvalid',
      'ArchiveInvalid',
      'OwnershipConflict',
      'ImmutableField',
      'ApiInvalid',
      'Unsupported',
    ] as const),
  );
}

function unsupportedName(name: string): KubepkgError {
  return new KubepkgError('Unsupported', `Flux takes no chart named ${name} from an HTTP repository`, {
    hint: 'publish it in an OCI registry, or name it in lower case, with digits, dashes and dots alone',
  });
}
