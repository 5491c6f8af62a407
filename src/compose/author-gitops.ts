import { translateApplication } from '../backends/argocd/translate.ts';
import { HELM_RELEASE } from '../backends/flux/names.ts';
import { translate } from '../backends/flux/translate.ts';
import { ANNOTATION } from '../api/names.ts';
import type { KubeObject } from '../api/kube.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import type { ChartLocation } from '../helm/chart-location.ts';
import { isRecord } from '../lib/json.ts';
import type { DesiredRelease } from '../ports/backend.ts';

/** A component of a package, with all that somebody else needs to deliver it. */
export interface Placed {
  readonly component: DesiredComponent;
  readonly release: DesiredRelease;
  readonly location: ChartLocation;
  /** Releases that come first, of the same package. */
  readonly after: readonly { readonly name: string; readonly namespace: string }[];
  /** Place in the order of the package, from 0. */
  readonly index: number;
}

const WAVE = 'argocd.argoproj.io/sync-wave';
const OWN_NOTE = /^(.*\.)?kubepkg\.dev\//;

/** Namespaces that the components need, as kubepkg makes them. */
export function namespacesOf(components: readonly DesiredComponent[]): readonly KubeObject[] {
  const names = [...new Set(components.map(({ namespace }) => namespace))];
  return names.map((name) => {
    const isPrivileged = components.some(({ namespace, privileged }) => namespace === name && privileged);
    const labels = isPrivileged ? { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } } : {};
    const annotations = { [ANNOTATION.helmKeep]: 'keep' };
    return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...labels, annotations } };
  });
}

/**
 * What our backend writes for Flux, but for what needs the operator beside it: Flux has to wait by itself, for one
 * release after the other, and to bring the CRDs.
 */
export function fluxObjects({ release, location, component, after }: Placed): readonly KubeObject[] {
  const { source, values, helmRelease } = translate(release, { location, options: {}, now: 0 });
  const { install, upgrade, ...spec } = helmRelease.spec;
  const metadata = { name: release.releaseName, namespace: release.namespace, labels: helmRelease.labels };
  return [
    source,
    values,
    {
      ...HELM_RELEASE,
      metadata,
      spec: {
        ...(after.length === 0 ? {} : { dependsOn: after }),
        ...spec,
        install: { ...awaited(install), crds: 'Create' },
        upgrade: { ...awaited(upgrade), crds: component.upgradeCRDs },
      },
    },
  ];
}

function awaited(action: unknown): Readonly<Record<string, unknown>> {
  const { disableWait: _wait, disableWaitForJobs: _jobs, ...rest } = isRecord(action) ? action : {};
  return rest;
}

/** The same for Argo CD, which syncs by itself when nobody starts it. */
export function argoObject(
  { release, location, index }: Placed,
  options: { readonly namespace: string; readonly project: string },
): KubeObject {
  const written = translateApplication({ release, location, objects: [], options, now: 0 });
  const { operation: _operation, ...application } = written;
  const own = Object.entries(written.metadata.annotations ?? {}).filter(([key]) => !OWN_NOTE.test(key));
  const spec = isRecord(application['spec']) ? application['spec'] : {};
  const policy = isRecord(spec['syncPolicy']) ? spec['syncPolicy'] : {};
  return {
    ...application,
    metadata: { ...written.metadata, annotations: { ...Object.fromEntries(own), [WAVE]: String(index) } },
    spec: { ...spec, source: withCrds(spec['source']), syncPolicy: { automated: {}, ...policy } },
  };
}

function withCrds(source: unknown): unknown {
  if (!isRecord(source) || !isRecord(source['helm'])) return source;
  const { skipCrds: _skipped, ...helm } = source['helm'];
  return { ...source, helm };
}

/** One helmfile of all components. */
export function helmfileOf(placed: readonly Placed[]): Readonly<Record<string, unknown>> {
  const repositories = new Map(placed.map((each) => [repositoryOf(each).name, repositoryOf(each)]));
  return {
    repositories: [...repositories.values()],
    releases: placed.map((each) => {
      const { release, location, after } = each;
      return {
        name: release.releaseName,
        namespace: release.namespace,
        createNamespace: true,
        chart: `${repositoryOf(each).name}/${release.chart.name}`,
        version: location.version,
        wait: true,
        ...(after.length === 0 ? {} : { needs: after.map(({ name, namespace }) => `${namespace}/${name}`) }),
        ...(Object.keys(release.values).length === 0 ? {} : { values: [release.values] }),
      };
    }),
  };
}

function repositoryOf({ location, release }: Placed): {
  readonly name: string;
  readonly url: string;
  readonly oci?: true;
} {
  const isOci = location.kind === 'oci';
  const address = isOci ? location.repository.slice(0, -release.chart.name.length - 1) : location.repository;
  const url = isOci ? address.replace(/^oci:\/\//, '') : address;
  const name = url
    .replace(/^https?:\/\//, '')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return { name, url, ...(isOci ? { oci: true } : {}) };
}
