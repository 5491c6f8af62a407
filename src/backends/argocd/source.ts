import type { ChartLocation } from '../../helm/chart-location.ts';
import type { DesiredRelease } from '../../ports/backend.ts';

/** The cluster that Argo CD itself runs in. */
const IN_CLUSTER = 'https://kubernetes.default.svc';

/** `spec.source`: complete, so that nothing of an earlier delivery stays. */
export function translateSource(release: DesiredRelease, location: ChartLocation): Readonly<Record<string, unknown>> {
  return {
    ...chartAt(location),
    targetRevision: location.version,
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

/** An OCI registry is written without its scheme: with it, Argo CD takes the address for that of a plain OCI artifact. */
function chartAt(location: ChartLocation): { readonly repoURL: string; readonly chart: string } {
  if (location.kind === 'http') return { repoURL: location.repository, chart: location.name };
  const path = location.repository.replace(/^oci:\/\//, '');
  const slash = path.lastIndexOf('/');
  return { repoURL: path.slice(0, slash), chart: path.slice(slash + 1) };
}
