import type { ChartLocation } from '../../helm/chart-location.ts';
import type { DesiredRelease } from '../../ports/backend.ts';

/** The cluster that Argo CD itself runs in. */
const IN_CLUSTER = 'https://kubernetes.default.svc';

/** `spec.source`: complete, so that nothing of an earlier delivery stays. */
export function translateSource(release: DesiredRelease, location: ChartLocation): Readonly<Record<string, unknown>> {
  return {
    ...chartAt(location),
    helm: {
      releaseName: release.releaseName,
      valuesObject: release.values,
      // What is in crds folders is written by us: Argo CD would overwrite the CRDs of others.
      skipCrds: true,
      skipTests: true,
      ...(release.skipSchemaValidation ? { skipSchemaValidation: true } : {}),
    },
  };
}

export function translateDestination({ namespace }: DesiredRelease): Readonly<Record<string, string>> {
  return { server: IN_CLUSTER, namespace };
}

/** By its digest where there is one: Argo CD keeps what it fetched by a version, whatever became of that. */
function chartAt(location: ChartLocation): Readonly<Record<string, string>> {
  if (location.kind === 'http') {
    const { repository, name, version } = location;
    return { repoURL: repository, chart: name, targetRevision: version };
  }
  return { repoURL: location.repository, path: '.', targetRevision: location.manifestDigest };
}
