import type { DesiredRelease, ReleaseTarget } from '../../ports/backend.ts';
import { appliesServerSide, canHideNotes, type HelmVersion } from '../../helm/helm-version.ts';
import { type DeliveryMode, type HelmCall, ownershipFlag, schemaFlag } from '../../helm/helm-call.ts';
import { releaseLabels } from '../../helm/labels.ts';

/** Helm's own waits never end before the engine's deadline, which stops helm. */
const LONG_TIMEOUT = '24h';

export interface TranslateOptions {
  readonly version: HelmVersion;
  readonly historyMax: number;
}

/**
 * The complete values with `--reset-values` are the only form whose result does not depend on history. Values of
 * the chart win over fields that others changed (`--force-conflicts`): what a release sets, it holds.
 */
export function translateDelivery(release: DesiredRelease, mode: DeliveryMode, options: TranslateOptions): HelmCall {
  const { version, historyMax } = options;
  const verb = mode === 'upgrade' ? 'upgrade' : 'install';
  return {
    args: [
      verb,
      release.releaseName,
      release.chart.path,
      ...['--namespace', release.namespace, '--values', '-', '--timeout', LONG_TIMEOUT],
      ...['--labels', labelArgument(release), '--disable-openapi-validation'],
      // Helm would write CRDs of a `crds/` folder over those of the cluster; `createCrds` creates what is missing.
      ...(mode === 'upgrade' ? [] : ['--skip-crds']),
      ...(mode === 'replace' ? ['--replace'] : []),
      ...(mode === 'upgrade' ? ['--reset-values', '--history-max', String(historyMax)] : []),
      ...(appliesServerSide(version) ? ['--server-side=true', '--force-conflicts'] : []),
      ...(canHideNotes(version) ? ['--hide-notes'] : []),
      ...waitFlags(release, version),
      ...optionalFlags(release, version),
    ],
    stdin: JSON.stringify(release.values),
  };
}

/**
 * The record is kept, so that what has to go is known until it is gone. What has dependents goes after them: a Job or
 * a Deployment that is gone has no pods left. That the objects are gone is for `observe` to see.
 */
export function translateUninstall(target: ReleaseTarget, options: { readonly hooks: boolean }): HelmCall {
  return {
    args: [
      ...['uninstall', target.releaseName, '--namespace', target.namespace, '--timeout', LONG_TIMEOUT],
      ...['--keep-history', '--cascade', 'foreground'],
      ...(options.hooks ? [] : ['--no-hooks']),
    ],
  };
}

/** Without a wait, post-install and post-upgrade hooks would run before the workloads are ready. */
function waitFlags(release: DesiredRelease, version: HelmVersion): readonly string[] {
  if (!release.chart.hasPostHooks) return [];
  return [version.major >= 4 ? '--wait=watcher' : '--wait', '--wait-for-jobs'];
}

function optionalFlags(release: DesiredRelease, version: HelmVersion): readonly string[] {
  return [
    ...(release.skipSchemaValidation ? schemaFlag(version) : []),
    ...(release.adopt ? ownershipFlag(version) : []),
  ];
}

function labelArgument(release: DesiredRelease): string {
  return Object.entries(releaseLabels(release))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
