import type { KubeObject } from '../../src/api/kube.ts';
import { encodeRecord } from '../../src/helm/record.ts';
import type { DesiredRelease, ReleaseTarget } from '../../src/ports/backend.ts';

export const TARGET: ReleaseTarget = { package: 'shop', component: 'web', releaseName: 'web', namespace: 'shop-ns' };

/** The labels that kubepkg puts on a record of TARGET. */
export const OWN_LABELS = {
  'kubepkg.dev/package': 'shop',
  'kubepkg.dev/component': 'web',
  'kubepkg.dev/attempt': 'token-1',
  'kubepkg.dev/digest': 'digest-1',
} as const;

export interface RecordShape {
  readonly revision?: number;
  readonly status?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly manifest?: string;
  readonly config?: unknown;
  readonly description?: string;
}

/** The Secret of a release record, as helm writes it. */
export function releaseSecret(shape: RecordShape = {}): KubeObject {
  const {
    revision = 1,
    status = 'deployed',
    labels = OWN_LABELS,
    manifest = '',
    config = {},
    description = '',
  } = shape;
  const { releaseName: name, namespace } = TARGET;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'helm.sh/release.v1',
    metadata: {
      name: `sh.helm.release.v1.${name}.v${String(revision)}`,
      namespace,
      uid: `uid-${String(revision)}`,
      resourceVersion: String(100 + revision),
      labels: { ...labels, name, owner: 'helm', status, version: String(revision), modifiedAt: '1' },
    },
  };
  const chart = { metadata: { name: 'web', version: '1.0.0' }, templates: [] };
  const info = { status, description, first_deployed: '2026-01-01T00:00:00Z' };
  return encodeRecord(secret, { name, namespace, version: revision, info, chart, config, manifest, hooks: [] });
}

export function desiredRelease(shape: Partial<DesiredRelease> = {}): DesiredRelease {
  return {
    ...TARGET,
    token: 'token-2',
    digest: 'digest-2',
    chart: {
      ref: { kind: 'chart', repository: 'oci://registry.example.com/charts', name: 'web', version: '1.0.0' },
      digest: 'sha256:0',
      path: '/cache/web-1.0.0.tgz',
      name: 'web',
      version: '1.0.0',
      sizeBytes: 1000,
      hasPostHooks: false,
    },
    values: { color: 'red' },
    adopt: false,
    skipSchemaValidation: false,
    ...shape,
  };
}
