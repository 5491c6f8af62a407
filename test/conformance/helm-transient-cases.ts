import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isCode } from '../../src/api/errors.ts';
import type { KubeObject } from '../../src/api/kube.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';
import type { FixtureChart } from '../build/fixture-chart.ts';
import type { BackendWorld } from './backend-world.ts';

/** Something that a first delivery meets and that goes away by itself. */
interface Trouble {
  readonly code: string;
  /** What the message names. */
  readonly named: string;
  readonly chart: FixtureChart;
  readonly values?: JsonObject;
  readonly end: () => Promise<unknown>;
}

type Begin = (world: BackendWorld, target: ReleaseTarget) => Trouble | Promise<Trouble>;

const WEBHOOK = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingWebhookConfiguration' };
const HOOK =
  'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: hook, annotations: { "helm.sh/hook": pre-install } }\n';

const INSIST = `${HOOK}{{ if not (lookup "v1" "Namespace" "" "default") }}{{ fail "no cluster" }}{{ end }}`;

/** Troubles that are no fault of the chart: each is transient and named, and a later attempt goes through. */
export function transientCases(world: BackendWorld): void {
  describe('a delivery that came too early', () => {
    it.each<[string, Begin]>([
      ['F10 for a namespace of its objects', missingNamespace],
      ['F09 F27 for a webhook', silentWebhook],
      ['F30 for a kind', () => missingKind(world)],
      ['F30 for a kind, though it has hooks,', () => missingKind(world, { 'templates/hook.yaml': HOOK })],
      [
        'F30 for a kind, though it renders with an API server only,',
        () => missingKind(world, { 'templates/insist.yaml': INSIST }),
      ],
      ['R11 for its quota', usedUpQuota],
    ])('%s is transient, names it, and goes through later', async (_, begin) => {
      const target = await world.target();
      const { code, named, chart, values = {}, end } = await begin(world, target);
      const { outcome } = await world.deliver(await world.release(target, { chart, values }));
      expect(outcome).toMatchObject({ kind: 'failed', error: { code, class: 'transient' } });
      expect(outcome).toMatchObject({ error: { message: expect.stringContaining(named) as string } });
      await end();
      await world.delivered(await world.release(target, { chart, values }));
    });
  });
}

function missingNamespace(world: BackendWorld): Trouble {
  const name = `late-${randomUUID().slice(0, 8)}`;
  const template = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: web-there, namespace: ${name} }\n`;
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  return {
    code: 'ApiNotFound',
    named: `namespaces "${name}" not found`,
    chart: { name: 'web', files: { 'templates/there.yaml': template } },
    end: () => world.harness.cluster.write({ verb: 'create', object }),
  };
}

async function silentWebhook({ harness }: BackendWorld, { namespace }: ReleaseTarget): Promise<Trouble> {
  const name = `hook-${randomUUID().slice(0, 8)}.example.com`;
  const webhook = {
    name,
    ...{ admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', timeoutSeconds: 1 },
    namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
    rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
    clientConfig: { url: 'https://127.0.0.1:1/' },
  };
  const object = { ...WEBHOOK, metadata: { name }, webhooks: [webhook] };
  await harness.cluster.write({ verb: 'create', object });
  const probe = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'probe', namespace } };
  await expect.poll(() => isRefused(harness, probe), { timeout: 20_000, interval: 50 }).toBe(true);
  const end = async (): Promise<void> => {
    await harness.cluster.write({ verb: 'delete', ref: { ...WEBHOOK, name } });
    await expect.poll(() => isRefused(harness, probe), { timeout: 20_000, interval: 50 }).toBe(false);
  };
  return { code: 'WebhookNotAnswering', named: `webhook "${name}"`, chart: { name: 'web' }, end };
}

function missingKind({ harness }: BackendWorld, files: Readonly<Record<string, string>> = {}): Trouble {
  const group = `g${randomUUID().slice(0, 8)}.example.com`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const object = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `gadgets.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind: 'Gadget', plural: 'gadgets' } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
  const isServed = async (): Promise<boolean> => (await harness.cluster.served(`${group}/v1`, 'Gadget')) !== undefined;
  return {
    code: 'KindNotServed',
    named: 'no matches for kind "Gadget"',
    chart: { name: 'custom', files },
    values: { group, crd: false, object: true },
    end: async () => {
      await harness.cluster.write({ verb: 'create', object });
      await expect.poll(isServed, { timeout: 20_000, interval: 50 }).toBe(true);
    },
  };
}

const CONTAINER = { name: 'app', image: 'example.org/app:1' };

async function usedUpQuota({ harness }: BackendWorld, { namespace }: ReleaseTarget): Promise<Trouble> {
  const ref = { apiVersion: 'v1', kind: 'ResourceQuota', name: 'small', namespace };
  const { name, apiVersion, kind } = ref;
  const object = { apiVersion, kind, metadata: { name, namespace }, spec: { hard: { 'count/deployments.apps': '0' } } };
  await harness.cluster.write({ verb: 'create', object });
  // It holds once its controller has counted.
  const labels = { app: 'one-too-many' };
  const spec = {
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [CONTAINER] } },
  };
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'one-too-many', namespace }, spec };
  await expect.poll(() => isRefused(harness, deployment), { timeout: 20_000, interval: 50 }).toBe(true);
  return {
    code: 'QuotaExceeded',
    named: 'quota: small',
    chart: { name: 'web' },
    end: () => harness.cluster.write({ verb: 'delete', ref }),
  };
}

async function isRefused({ cluster }: BackendWorld['harness'], object: KubeObject): Promise<boolean> {
  try {
    await cluster.write({ verb: 'create', object, dryRun: true });
    return false;
  } catch (error) {
    if (isCode(error, 'WebhookNotAnswering', 'ApiForbidden')) return true;
    throw error;
  }
}
