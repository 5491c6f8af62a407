import type { KubepkgError } from '../api/errors.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import type { CommandResult } from '../ports/process.ts';
import { awaitedObject } from './awaited-object.ts';
import { failureOf } from './errors.ts';
import type { ChartTools } from './tools.ts';

export interface Ended {
  readonly result: CommandResult;
  /** It was told to stop. */
  readonly aborted: boolean;
}

/** Why helm has not done what it was asked for, by what it said; an object in its way that is going is waited for. */
export async function explainFailure(
  release: DesiredRelease,
  { result, aborted }: Ended,
  tools: Pick<ChartTools, 'cluster' | 'store'>,
): Promise<KubepkgError> {
  const { namespace, releaseName, chart, component, values } = release;
  const failure = failureOf(result, {
    release: `${namespace}/${releaseName}`,
    values,
    aborted,
    names: [namespace, releaseName, component, release.package, chart.name, chart.version],
    paths: { [chart.path]: `${chart.name}-${chart.version}.tgz` },
  });
  if (failure.code !== 'OwnershipConflict') return failure;
  return (await awaitedObject(result.stderr, release, tools)) ?? failure;
}
