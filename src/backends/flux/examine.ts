import { isCode, type KubepkgError } from '../../api/errors.ts';
import { type CrdStep, planCrds } from '../../helm/create-crds.ts';
import { crdPolicy } from '../../helm/crd-policy.ts';
import { examineChart } from '../../helm/examine-chart.ts';
import { refuseForeignHooks } from '../../helm/foreign-hooks.ts';
import { clearFormerRun } from '../../helm/former-jobs.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { renderOnServerFirst } from '../../helm/preview.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import { refuseName } from './chart-name.ts';
import { refuseForeignCompanions } from './companions.ts';
import type { FluxTools } from './tools.ts';
import { type FluxObjects, translate } from './translate.ts';
import { writeVanishing } from './vanishing-jobs.ts';

export interface Examined {
  readonly crds: readonly CrdStep[];
  readonly objects: FluxObjects;
  /** The Jobs that remove themselves. */
  readonly vanishing: string;
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
  const rendered = await renderOnServerFirst(release, { isUpgrade: mode === 'upgrade', takesOwnership, signal }, tools);
  const { crds, hooks } = await examineChart(release, { mode, signal }, tools);
  await refuseForeignHooks(hooks, { release, heads }, tools);
  if (mode === 'install') await clearFormerRun(release, () => Promise.resolve(rendered), tools);
  const steps = await planCrds(crds, { release, policy: crdPolicy(release, mode) }, tools.cluster);
  const location = await tools.charts.locate(release.chart, signal);
  const refusal = location.kind === 'http' ? refuseName(location.name) : undefined;
  if (refusal !== undefined) throw refusal;
  const objects = translate(release, { location, options: tools.options, now: tools.clock.now() });
  await refuseForeignCompanions([objects.source, objects.values], release, tools.cluster);
  return { crds: steps, objects, vanishing: writeVanishing(rendered) };
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
