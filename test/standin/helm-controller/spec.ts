import type { KubeObject } from '../../../src/api/kube.ts';
import { sha256 } from '../../../src/lib/digest.ts';
import { parseDuration } from '../../../src/lib/duration.ts';
import { asArray, asNumber, asString, at, isRecord, type JsonObject } from '../../../src/lib/json.ts';

const DEFAULT_TIMEOUT_MS = 300_000;
const DEFAULT_MAX_HISTORY = 5;
const MAX_RELEASE_NAME = 53;

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

export interface ValuesReference {
  readonly kind: string;
  readonly name: string;
  readonly valuesKey: string;
  readonly optional: boolean;
}

export interface HealthCheck {
  readonly apiVersion: string;
  readonly kind: string;
  readonly inProgress?: string;
  readonly failed?: string;
  readonly current: string;
}

export interface Remediation {
  /** Negative: without end. */
  readonly retries: number;
  readonly strategy: 'rollback' | 'uninstall';
  /** Whether the last failure is remediated as well. */
  readonly remediatesLast: boolean;
}

export type CrdPolicy = 'Skip' | 'Create' | 'CreateReplace';

/** What install, upgrade and rollback have in common. */
export interface ActionSpec {
  readonly timeoutMs: number;
  /** As it is written in conditions. */
  readonly timeoutText: string;
  readonly waits: boolean;
  readonly waitsForJobs: boolean;
  readonly hooks: boolean;
}

export interface DeliverySpec extends ActionSpec {
  readonly crds: CrdPolicy;
  readonly takesOwnership: boolean;
  readonly validatesSchema: boolean;
  readonly validatesOpenApi: boolean;
  readonly remediation: Remediation;
}

export interface UninstallSpec extends ActionSpec {
  readonly keepHistory: boolean;
  readonly deletionPropagation: string;
}

export type ChartSource =
  | { readonly kind: 'ref'; readonly refKind: string; readonly name: ObjectName }
  | { readonly kind: 'template'; readonly name: ObjectName; readonly template: unknown };

export interface HelmReleaseSpec {
  readonly raw: unknown;
  readonly suspend: boolean;
  readonly intervalMs: number;
  readonly chart: ChartSource;
  /** As written; helm gets it shortened. */
  readonly releaseName: string;
  readonly shortReleaseName: string;
  readonly releaseNamespace: string;
  readonly storageNamespace: string;
  readonly maxHistory: number;
  readonly dependsOn: readonly ObjectName[];
  readonly values: JsonObject;
  readonly valuesFrom: readonly ValuesReference[];
  readonly healthCheckExprs: readonly HealthCheck[];
  readonly install: DeliverySpec & { readonly replace: boolean; readonly createsNamespace: boolean };
  readonly upgrade: DeliverySpec & { readonly reinstallsRenamedChart: boolean };
  readonly rollback: ActionSpec;
  readonly uninstall: UninstallSpec;
}

/** The spec of a HelmRelease with the defaults that the definition documents. */
export function specOf(object: KubeObject): HelmReleaseSpec {
  const spec = object['spec'];
  const own = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
  const target = text(spec, 'targetNamespace');
  // [30]: targetNamespace T makes the release T-name; its records stay in the HelmRelease's namespace.
  const releaseName = text(spec, 'releaseName') ?? (target === undefined ? own.name : `${target}-${own.name}`);
  return {
    raw: spec,
    suspend: at(spec, 'suspend') === true,
    intervalMs: duration(spec, 'interval') ?? DEFAULT_TIMEOUT_MS,
    chart: chartOf(spec, own),
    releaseName,
    shortReleaseName: shortenName(releaseName),
    releaseNamespace: target ?? own.namespace,
    storageNamespace: text(spec, 'storageNamespace') ?? own.namespace,
    maxHistory: asNumber(at(spec, 'maxHistory')) ?? DEFAULT_MAX_HISTORY,
    dependsOn: asArray(at(spec, 'dependsOn')).map((item) => ({
      namespace: text(item, 'namespace') ?? own.namespace,
      name: text(item, 'name') ?? '',
    })),
    values: objectIn(spec, 'values'),
    valuesFrom: asArray(at(spec, 'valuesFrom')).map(valuesReference),
    healthCheckExprs: asArray(at(spec, 'healthCheckExprs')).map(healthCheck),
    ...actionsOf(spec, target !== undefined),
  };
}

/** As the controller shortens a name that Helm would refuse: F90. */
export function shortenName(name: string): string {
  if (name.length <= MAX_RELEASE_NAME) return name;
  const digest = sha256(name).slice(0, 12);
  return `${name.slice(0, MAX_RELEASE_NAME - digest.length - 1)}-${digest}`;
}

function actionsOf(
  spec: unknown,
  hasTarget: boolean,
): Pick<HelmReleaseSpec, 'install' | 'upgrade' | 'rollback' | 'uninstall'> {
  const [install, upgrade] = [at(spec, 'install'), at(spec, 'upgrade')];
  const uninstall = at(spec, 'uninstall');
  return {
    install: {
      ...deliverySpec(spec, install, 'Create'),
      // An install that failed is only ever uninstalled, and not after the last try [28].
      remediation: {
        retries: retriesOf(install),
        strategy: 'uninstall',
        remediatesLast: at(install, 'remediation', 'remediateLastFailure') === true,
      },
      replace: at(install, 'replace') === true,
      createsNamespace: hasTarget && at(install, 'createNamespace') === true,
    },
    upgrade: {
      ...deliverySpec(spec, upgrade, 'Skip'),
      remediation: upgradeRemediation(upgrade),
      reinstallsRenamedChart: text(upgrade, 'chartNameChangeStrategy') !== 'InPlaceUpdate',
    },
    rollback: actionSpec(spec, at(spec, 'rollback')),
    uninstall: {
      ...actionSpec(spec, uninstall),
      keepHistory: at(uninstall, 'keepHistory') === true,
      deletionPropagation: text(uninstall, 'deletionPropagation') ?? 'background',
    },
  };
}

function upgradeRemediation(upgrade: unknown): Remediation {
  const retries = retriesOf(upgrade);
  const last = at(upgrade, 'remediation', 'remediateLastFailure');
  return {
    retries,
    strategy: at(upgrade, 'remediation', 'strategy') === 'uninstall' ? 'uninstall' : 'rollback',
    // [07]: after the last allowed try an upgrade is rolled back too (retries >= 1).
    remediatesLast: typeof last === 'boolean' ? last : retries > 0,
  };
}

function retriesOf(action: unknown): number {
  return asNumber(at(action, 'remediation', 'retries')) ?? 0;
}

function deliverySpec(spec: unknown, action: unknown, crds: CrdPolicy): Omit<DeliverySpec, 'remediation'> {
  const policy = text(action, 'crds');
  const skips = at(action, 'skipCRDs') === true;
  const asked = policy === 'Skip' || policy === 'Create' || policy === 'CreateReplace' ? policy : crds;
  return {
    ...actionSpec(spec, action),
    crds: skips ? 'Skip' : asked,
    takesOwnership: at(action, 'disableTakeOwnership') !== true,
    validatesSchema: at(action, 'disableSchemaValidation') !== true,
    validatesOpenApi: at(action, 'disableOpenAPIValidation') !== true,
  };
}

function actionSpec(spec: unknown, action: unknown): ActionSpec {
  const written = text(action, 'timeout') ?? text(spec, 'timeout') ?? '5m';
  const timeoutMs = parseDuration(written) ?? DEFAULT_TIMEOUT_MS;
  return {
    timeoutMs,
    timeoutText: goDuration(timeoutMs),
    waits: at(action, 'disableWait') !== true,
    waitsForJobs: at(action, 'disableWaitForJobs') !== true,
    hooks: at(action, 'disableHooks') !== true,
  };
}

/** `10s`, `1m0s`, `1h0m0s`: as Go prints a duration [12: 1m0s]. */
function goDuration(ms: number): string {
  const seconds = ms / 1000;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  if (h > 0) return `${String(h)}h${String(m)}m${String(s)}s`;
  return m > 0 ? `${String(m)}m${String(s)}s` : `${String(s)}s`;
}

function chartOf(spec: unknown, own: ObjectName): ChartSource {
  const ref = at(spec, 'chartRef');
  if (isRecord(ref)) {
    const name = { namespace: text(ref, 'namespace') ?? own.namespace, name: text(ref, 'name') ?? '' };
    return { kind: 'ref', refKind: text(ref, 'kind') ?? '', name };
  }
  // [26]: the HelmChart s26-app, beside its repository.
  const namespace = text(spec, 'chart', 'spec', 'sourceRef', 'namespace') ?? own.namespace;
  return {
    kind: 'template',
    name: { namespace, name: `${own.namespace}-${own.name}` },
    template: at(spec, 'chart'),
  };
}

function valuesReference(item: unknown): ValuesReference {
  return {
    kind: text(item, 'kind') ?? '',
    name: text(item, 'name') ?? '',
    valuesKey: text(item, 'valuesKey') ?? 'values.yaml',
    optional: at(item, 'optional') === true,
  };
}

function healthCheck(item: unknown): HealthCheck {
  const [inProgress, failed] = [text(item, 'inProgress'), text(item, 'failed')];
  return {
    apiVersion: text(item, 'apiVersion') ?? '',
    kind: text(item, 'kind') ?? '',
    current: text(item, 'current') ?? '',
    ...(inProgress === undefined ? {} : { inProgress }),
    ...(failed === undefined ? {} : { failed }),
  };
}

function objectIn(value: unknown, field: string): JsonObject {
  const found = at(value, field);
  // What comes from the API server is JSON.
  return isRecord(found) ? (found as JsonObject) : {};
}

function text(value: unknown, ...path: readonly string[]): string | undefined {
  const found = asString(at(value, ...path));
  return found === '' ? undefined : found;
}

function duration(value: unknown, field: string): number | undefined {
  const written = text(value, field);
  return written === undefined ? undefined : parseDuration(written);
}
