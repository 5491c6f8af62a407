import { KubepkgError } from '../../api/errors.ts';
import type { DesiredRelease, ReleaseTarget } from '../../ports/backend.ts';
import { appliesServerSide, canHideNotes, canSkipSchema, canTakeOwnership, type HelmVersion } from './helm-version.ts';
import { releaseLabels } from './labels.ts';

/**
 * `install`: nothing is there. `replace`: a record of ours is there and nothing was ever delivered, so that the
 * install hooks are the ones to run. `upgrade`: something was delivered once.
 */
export type DeliveryMode = 'install' | 'replace' | 'upgrade';

/** What helm is asked; values go by standard input, never by argument. */
export interface HelmCall {
  readonly args: readonly string[];
  readonly stdin?: string;
}

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

export interface RenderMode {
  readonly isUpgrade: boolean;
  readonly onServer: boolean;
  /** With what the `crds/` folders of the chart and its enabled subcharts hold. */
  readonly withCrds?: boolean;
  /** With the hooks of the chart, after everything else. */
  readonly withHooks?: boolean;
}

export function translatePreview(
  release: DesiredRelease,
  mode: RenderMode & { readonly version: HelmVersion },
): HelmCall {
  return {
    args: [
      'template',
      release.releaseName,
      release.chart.path,
      ...['--namespace', release.namespace, '--values', '-'],
      ...(mode.withHooks === true ? [] : ['--no-hooks']),
      ...(mode.isUpgrade ? ['--is-upgrade'] : []),
      ...(mode.onServer ? ['--dry-run=server'] : []),
      ...(mode.withCrds === true ? crdFlags(mode) : []),
      ...(release.skipSchemaValidation ? schemaFlag(mode.version) : []),
    ],
    stdin: JSON.stringify(release.values),
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

/** A server would refuse CRDs that are there already, which is no fault here. */
function crdFlags({ onServer, version }: { readonly onServer: boolean; readonly version: HelmVersion }): string[] {
  return ['--include-crds', ...(onServer && canTakeOwnership(version) ? ['--take-ownership'] : [])];
}

function schemaFlag(version: HelmVersion): readonly string[] {
  if (canSkipSchema(version)) return ['--skip-schema-validation'];
  throw tooOld(version, 'skip the validation of values', '3.16');
}

function ownershipFlag(version: HelmVersion): readonly string[] {
  if (canTakeOwnership(version)) return ['--take-ownership'];
  throw tooOld(version, 'adopt existing objects', '3.17');
}

function tooOld(version: HelmVersion, what: string, since: string): KubepkgError {
  return new KubepkgError('Unsupported', `helm ${version.text} cannot ${what}`, {
    hint: `use helm ${since} or newer`,
  });
}

function labelArgument(release: DesiredRelease): string {
  return Object.entries(releaseLabels(release))
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
