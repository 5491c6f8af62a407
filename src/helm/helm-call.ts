import { KubepkgError } from '../api/errors.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { canSkipSchema, canTakeOwnership, type HelmVersion } from './helm-version.ts';

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

export interface RenderMode {
  readonly isUpgrade: boolean;
  readonly onServer: boolean;
  /** With what the `crds/` folders of the chart and its enabled subcharts hold. */
  readonly withCrds?: boolean;
  /** With the hooks of the chart, after everything else. */
  readonly withHooks?: boolean;
  /** Objects that are there already are no reason to refuse, whoever has them. */
  readonly takesOwnership?: boolean;
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
      ...(mode.withCrds === true ? ['--include-crds'] : []),
      ...(takesOwnership(mode) ? ['--take-ownership'] : []),
      ...(release.skipSchemaValidation ? schemaFlag(mode.version) : []),
    ],
    stdin: JSON.stringify(release.values),
  };
}

/** A server would refuse CRDs that are there already, which is no fault here. */
function takesOwnership(mode: RenderMode & { readonly version: HelmVersion }): boolean {
  const isWanted = mode.withCrds === true || mode.takesOwnership === true;
  return isWanted && mode.onServer && canTakeOwnership(mode.version);
}

export function schemaFlag(version: HelmVersion): readonly string[] {
  if (canSkipSchema(version)) return ['--skip-schema-validation'];
  throw tooOld(version, 'skip the validation of values', '3.16');
}

export function ownershipFlag(version: HelmVersion): readonly string[] {
  if (canTakeOwnership(version)) return ['--take-ownership'];
  throw tooOld(version, 'adopt existing objects', '3.17');
}

function tooOld(version: HelmVersion, what: string, since: string): KubepkgError {
  return new KubepkgError('Unsupported', `helm ${version.text} cannot ${what}`, {
    hint: `use helm ${since} or newer`,
  });
}
