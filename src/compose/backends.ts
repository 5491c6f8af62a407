import { createArgoCdBackend } from '../backends/argocd/backend.ts';
import { createFluxBackend } from '../backends/flux/backend.ts';
import { createHelmBackend } from '../backends/helm/backend.ts';
import type { ChartLocator } from '../helm/chart-location.ts';
import type { HelmOptions } from '../helm/helm-program.ts';
import type { Backend } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { CommandRunner } from '../ports/process.ts';
import type { Clock } from '../ports/system.ts';

/** What users choose of single backends. */
export interface BackendChoices {
  /** Secret in the namespace of every release, with the credentials that Flux pulls charts of OCI registries with. */
  readonly fluxPullSecret?: string | undefined;
  /** Where Applications are made, and their AppProject. */
  readonly argoNamespace: string;
  readonly argoProject: string;
  /** Values that come from Secrets may be written into Applications. */
  readonly argoInlineSecretValues: boolean;
}

interface BackendDeps {
  readonly cluster: Cluster;
  readonly runner: CommandRunner;
  readonly helm: HelmOptions;
  readonly tempDir: string;
  readonly clock: Clock;
  /** For the backends whose controllers pull charts themselves. */
  readonly charts: ChartLocator;
}

/** Every backend that this program has, by its name; none asks anybody anything before it is used. */
export function createBackends(choices: BackendChoices, deps: BackendDeps): ReadonlyMap<string, Backend> {
  const { fluxPullSecret: pullSecret, argoNamespace, argoProject, argoInlineSecretValues } = choices;
  const argo = { namespace: argoNamespace, project: argoProject, inlineSecretValues: argoInlineSecretValues };
  const backends = [
    createHelmBackend(deps),
    createFluxBackend({ ...deps, options: { pullSecret } }),
    createArgoCdBackend({ ...deps, options: argo }),
  ];
  return new Map(backends.map((backend) => [backend.id, backend]));
}
