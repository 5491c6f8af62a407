import type { KubeObject, OwnerReference } from '../../api/kube.ts';
import type { HealthCheckExpr } from '../../api/readiness.ts';
import type { ChartLocation } from '../../helm/chart-location.ts';
import { digestOf, sha256 } from '../../lib/digest.ts';
import { formatDuration } from '../../lib/duration.ts';
import { isRecord } from '../../lib/json.ts';
import { formatSeconds } from '../../lib/time.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import {
  HELM_REPOSITORY,
  OCI_REPOSITORY,
  ownLabels,
  REQUEST,
  SECRET,
  STAMP,
  VALUES_KEY,
  VALUES_TYPE,
} from './names.ts';
import { valuesText } from './values-text.ts';

const DEFAULT_TIMEOUT_MS = 600_000;
/** What a source names never changes, so it is looked at again only to find an artifact that was lost. */
const SOURCE_INTERVAL = '12h';
const NAME_DIGITS = 12;
const CHART_LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

export interface FluxOptions {
  /** Secret, in the namespace of each component, with the credentials of private OCI registries. */
  readonly pullSecret?: string | undefined;
}

export interface TranslateContext {
  readonly location: ChartLocation;
  readonly options: FluxOptions;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** All that a delivery writes. */
export interface FluxObjects {
  /** Named by its content: a HelmRelease changes its chart and its values in one write, or not at all. */
  readonly source: KubeObject;
  readonly values: KubeObject;
  readonly helmRelease: {
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
    readonly spec: Readonly<Record<string, unknown>>;
  };
}

export function translate(release: DesiredRelease, { location, options, now }: TranslateContext): FluxObjects {
  const { text, configDigest } = valuesText(release.values);
  const source = sourceOf(release, location, options);
  const values = valuesSecret(release, text);
  const spec = specOf(release, {
    ...chartOf(location, source.metadata.name),
    valuesFrom: [{ kind: 'Secret', name: values.metadata.name, valuesKey: VALUES_KEY }],
  });
  return {
    source,
    values,
    helmRelease: {
      labels: ownLabels(release),
      annotations: {
        [STAMP.attempt]: release.token,
        [STAMP.digest]: release.digest,
        ...(configDigest === undefined ? {} : { [STAMP.configDigest]: configDigest }),
        [STAMP.chart]: chartStamp(location),
        [STAMP.specDigest]: specDigest(spec),
        [STAMP.instructedAt]: formatSeconds(now),
        [REQUEST.requestedAt]: release.token,
        [REQUEST.forceAt]: release.token,
        [REQUEST.resetAt]: release.token,
      },
      spec,
    },
  };
}

/** One digest for what was written and what is there, whether it is suspended or not. */
export function specDigest(spec: unknown): string {
  const { suspend: _suspend, ...rest } = isRecord(spec) ? spec : {};
  return digestOf(rest);
}

export function chartStamp(location: ChartLocation): string {
  return location.kind === 'oci' ? `${location.version}@${location.manifestDigest}` : location.version;
}

/** It goes with the HelmRelease, whoever removes that. */
export function ownedBy(object: KubeObject, owner: KubeObject): KubeObject {
  const { apiVersion, kind } = owner;
  const { name, uid = '' } = owner.metadata;
  const ownerReferences: readonly OwnerReference[] = [{ apiVersion, kind, name, uid }];
  return { ...object, metadata: { ...object.metadata, ownerReferences } };
}

function sourceOf(release: DesiredRelease, location: ChartLocation, { pullSecret }: FluxOptions): KubeObject {
  const oci = {
    interval: SOURCE_INTERVAL,
    url: location.repository,
    ...(location.kind === 'oci' ? { ref: { digest: location.manifestDigest } } : {}),
    layerSelector: { mediaType: CHART_LAYER, operation: 'copy' },
    ...(pullSecret === undefined ? {} : { secretRef: { name: pullSecret } }),
  };
  const spec = location.kind === 'oci' ? oci : { interval: SOURCE_INTERVAL, url: location.repository };
  const name = `${release.releaseName}-${digestOf(spec).slice('sha256:'.length).slice(0, NAME_DIGITS)}`;
  const kind = location.kind === 'oci' ? OCI_REPOSITORY : HELM_REPOSITORY;
  return { ...kind, metadata: { name, namespace: release.namespace, labels: ownLabels(release) }, spec };
}

function chartOf(location: ChartLocation, sourceName: string): Readonly<Record<string, unknown>> {
  if (location.kind === 'oci') return { chartRef: { kind: OCI_REPOSITORY.kind, name: sourceName } };
  const { name: chart, version } = location;
  const sourceRef = { kind: HELM_REPOSITORY.kind, name: sourceName };
  return {
    chart: { spec: { chart, version, interval: SOURCE_INTERVAL, reconcileStrategy: 'ChartVersion', sourceRef } },
  };
}

function valuesSecret(release: DesiredRelease, text: string): KubeObject {
  const name = `${release.releaseName}-values-${sha256(text).slice(0, NAME_DIGITS)}`;
  return {
    ...SECRET,
    type: VALUES_TYPE,
    immutable: true,
    metadata: { name, namespace: release.namespace, labels: ownLabels(release) },
    data: { [VALUES_KEY]: Buffer.from(text).toString('base64') },
  };
}

/**
 * Complete: what it does not say has the default that kubepkg wants. One machine decides, so Flux neither tries again,
 * nor undoes, nor corrects, nor waits unless that is asked for. A chart of another name replaces the former in place.
 */
function specOf(release: DesiredRelease, parts: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const timeout = formatDuration(release.timeoutMs ?? DEFAULT_TIMEOUT_MS);
  const action = {
    crds: 'Skip',
    strategy: { name: 'RemediateOnFailure' },
    remediation: { retries: 0 },
    disableOpenAPIValidation: true,
    ...(release.adopt ? {} : { disableTakeOwnership: true }),
    ...(release.skipSchemaValidation ? { disableSchemaValidation: true } : {}),
    ...(isWaited(release) ? {} : { disableWait: true, disableWaitForJobs: true }),
  };
  const { healthCheckExprs = [], waitStrategy } = release;
  return {
    ...parts,
    interval: '5m',
    releaseName: release.releaseName,
    timeout,
    maxHistory: 5,
    install: { ...action, replace: true, serverSideApply: true },
    upgrade: { ...action, serverSideApply: 'enabled', chartNameChangeStrategy: 'InPlaceUpdate' },
    uninstall: { deletionPropagation: 'foreground', disableWait: true },
    driftDetection: { mode: 'disabled' },
    ...(healthCheckExprs.length === 0 ? {} : { healthCheckExprs: healthCheckExprs.map((each) => exprOf(each)) }),
    ...(waitStrategy === undefined ? {} : { waitStrategy: { name: waitStrategy } }),
  };
}

/** Post-install and post-upgrade hooks would run before the workloads are ready. */
function isWaited({ healthCheckExprs = [], waitStrategy, chart }: DesiredRelease): boolean {
  return healthCheckExprs.length > 0 || waitStrategy !== undefined || chart.hasPostHooks;
}

function exprOf({ apiVersion, kind, current, inProgress, failed }: HealthCheckExpr): Readonly<Record<string, string>> {
  return {
    apiVersion,
    kind,
    current,
    ...(inProgress === undefined ? {} : { inProgress }),
    ...(failed === undefined ? {} : { failed }),
  };
}
