import type { KubeObject } from '../../src/api/kube.ts';
import { CONTROLLER_FINALIZER, HELM_RELEASE, ownLabels, REQUEST, STAMP } from '../../src/backends/flux/names.ts';
import { specDigest } from '../../src/backends/flux/translate.ts';
import { TARGET } from './helm-release.ts';

type ConditionShape = readonly [status: string, reason: string, generation: number];

export interface HelmReleaseShape {
  /** Nothing of ours but its labels: as another version of kubepkg may have left it. */
  readonly unmarked?: boolean;
  /** No status but the default one of a new object. */
  readonly empty?: boolean;
  readonly generation?: number;
  readonly observed?: number;
  readonly attempted?: number | undefined;
  readonly ready?: ConditionShape | undefined;
  readonly released?: ConditionShape | undefined;
  /** Message of the condition. */
  readonly reconciling?: string | undefined;
  readonly reconcilingReason?: string;
  /** Reason of the condition. */
  readonly stalled?: string | undefined;
  /** Message of Ready, Released and Stalled. */
  readonly message?: string;
  /** Status and digest of each release, newest first. */
  readonly history?: readonly (readonly [status: string, digest: string])[];
  readonly configDigest?: string;
  readonly plannedDigest?: string;
  readonly chartVersion?: string;
  readonly ociDigest?: string | undefined;
  readonly failures?: number;
  readonly recorded?: number;
  readonly requestedAt?: string | undefined;
  readonly handledAt?: string | undefined;
  readonly handledResetAt?: string;
  readonly suspend?: boolean;
  readonly stopped?: string;
  readonly former?: string;
  readonly instructedAt?: string;
  /** The spec is not the one that was written. */
  readonly edited?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly deletionTimestamp?: string;
}

const MANIFEST = `sha256:${'a1'.repeat(32)}`;
const CONFIG = 'sha256:config';
const DELIVERED = {
  generation: 2,
  observed: 2,
  attempted: 2,
  ready: ['True', 'UpgradeSucceeded', 2],
  released: ['True', 'UpgradeSucceeded', 2],
  history: [
    ['deployed', 'sha256:newest'],
    ['superseded', 'sha256:former'],
  ],
  configDigest: CONFIG,
  chartVersion: '1.0.0+a1a1a1a1a1a1',
  ociDigest: MANIFEST,
  requestedAt: 'token-2',
  handledAt: 'token-2',
  handledResetAt: 'token-2',
  former: 'sha256:former',
  message: '',
  finalizers: [CONTROLLER_FINALIZER],
} as const;

/** The HelmRelease of TARGET with its second attempt, `token-2`; by default it is delivered. */
export function helmRelease(overrides: HelmReleaseShape = {}): KubeObject {
  const shape = { ...DELIVERED, ...overrides };
  const spec = { interval: '5m', valuesFrom: [{ kind: 'Secret', name: 'web-values-1', valuesKey: 'values.yaml' }] };
  return {
    ...HELM_RELEASE,
    metadata: {
      name: TARGET.releaseName,
      namespace: TARGET.namespace,
      uid: 'uid-helm-release',
      resourceVersion: '100',
      generation: shape.generation,
      labels: overrides.labels ?? ownLabels(TARGET),
      annotations: { ...(overrides.unmarked === true ? {} : stampsOf(shape, spec)), ...overrides.annotations },
      finalizers: shape.finalizers,
      ...(overrides.deletionTimestamp === undefined ? {} : { deletionTimestamp: overrides.deletionTimestamp }),
    },
    spec: { ...spec, ...(overrides.suspend === true ? { suspend: true } : {}) },
    status: overrides.empty === true ? { observedGeneration: -1 } : statusOf(shape),
  };
}

function stampsOf(shape: HelmReleaseShape, spec: unknown): Readonly<Record<string, string>> {
  const { requestedAt, stopped } = shape;
  return {
    [STAMP.attempt]: 'token-2',
    [STAMP.digest]: 'digest-2',
    [STAMP.configDigest]: CONFIG,
    [STAMP.chart]: `1.0.0@${MANIFEST}`,
    [STAMP.specDigest]: specDigest(shape.edited === true ? { other: true } : spec),
    [STAMP.former]: shape.former ?? '',
    [STAMP.instructedAt]: shape.instructedAt ?? '2030-01-01T00:00:00Z',
    [REQUEST.forceAt]: 'token-2',
    [REQUEST.resetAt]: 'token-2',
    ...(requestedAt === undefined ? {} : { [REQUEST.requestedAt]: requestedAt }),
    ...(stopped === undefined ? {} : { [STAMP.stopped]: stopped }),
  };
}

function statusOf(shape: HelmReleaseShape): unknown {
  const { history = [], configDigest, chartVersion, ociDigest, recorded } = shape;
  const releases = history.map(([status, digest], index) => ({
    version: history.length - index,
    status,
    digest,
    configDigest,
    chartVersion,
    chartName: 'web',
    ...(ociDigest === undefined ? {} : { ociDigest }),
  }));
  return {
    observedGeneration: shape.observed,
    ...(shape.attempted === undefined ? {} : { lastAttemptedGeneration: shape.attempted }),
    conditions: conditionsOf(shape),
    history: releases,
    lastAttemptedConfigDigest: shape.plannedDigest ?? configDigest,
    lastAttemptedRevision: chartVersion,
    lastHandledReconcileAt: shape.handledAt,
    lastHandledForceAt: shape.handledResetAt,
    lastHandledResetAt: shape.handledResetAt,
    ...(shape.failures === undefined ? {} : { failures: shape.failures }),
    ...(recorded === undefined ? {} : { upgradeFailures: recorded }),
  };
}

function conditionsOf(shape: HelmReleaseShape): readonly unknown[] {
  const { ready, released, reconciling, reconcilingReason = 'Progressing', stalled, message, generation } = shape;
  const of = (type: string, condition: ConditionShape | undefined): readonly unknown[] => {
    if (condition === undefined) return [];
    const [status, reason, observedGeneration] = condition;
    return [{ type, status, reason, observedGeneration, message }];
  };
  return [
    ...of('Ready', ready),
    ...of('Released', released),
    ...of('Stalled', stalled === undefined ? undefined : ['True', stalled, generation ?? 0]),
    ...(reconciling === undefined
      ? []
      : [{ type: 'Reconciling', status: 'True', reason: reconcilingReason, message: reconciling }]),
  ];
}
