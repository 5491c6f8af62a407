import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import type { ApiAccess } from '../../dev/controlplane/api-client.ts';
import { mustCallApi } from '../../dev/controlplane/api-client.ts';
import type { ControlPlane } from '../../dev/controlplane/contract.ts';
import { startControlPlane } from '../../dev/controlplane/control-plane.ts';
import type { FetchedChart } from '../../src/ports/artifacts.ts';
import { packFixtureChart } from '../build/fixture-chart.ts';

const APPLICATIONS = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications';
const OCI_REPOSITORIES = '/apis/source.toolkit.fluxcd.io/v1/namespaces/default/ocirepositories';
const DESTINATION = { server: 'https://kubernetes.default.svc', namespace: 'default' };

interface Application {
  readonly spec: object;
  readonly status?: { readonly sync?: { readonly comparedTo?: object } };
}

/** One control plane with everything, and the chart `web` in its registry. */
class Delivery {
  readonly plane: ControlPlane;
  readonly chart: FetchedChart;
  readonly #access: ApiAccess;

  constructor(plane: ControlPlane, chart: FetchedChart) {
    this.plane = plane;
    this.chart = chart;
    this.#access = { url: plane.url, ca: plane.ca, token: plane.tokenFor('admin') };
  }

  async read<T>(path: string): Promise<T> {
    return (await mustCallApi(this.#access, { path })) as T;
  }

  async create(path: string, body: object): Promise<void> {
    await mustCallApi(this.#access, { method: 'POST', path, body });
  }

  /** The object once it matches. */
  async until<T>(path: string, pattern: object): Promise<T> {
    const check = async (): Promise<T> => {
      const object = await this.read<T>(path);
      expect(object).toMatchObject(pattern);
      return object;
    };
    return vi.waitFor(check, { timeout: 40_000, interval: 50 });
  }

  source(releaseName: string, color: string): object {
    const helm = { releaseName, skipCrds: true, valuesObject: { replicas: 1, color } };
    return {
      repoURL: `${String(this.plane.registry?.hostByName)}/charts`,
      chart: 'web',
      targetRevision: '1.0.0',
      helm,
    };
  }

  async createApplication(name: string, color: string): Promise<void> {
    const spec = { project: 'default', source: this.source(name, color), destination: DESTINATION };
    const metadata = { name, namespace: 'argocd', finalizers: ['resources-finalizer.argocd.argoproj.io'] };
    const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
    await this.create(APPLICATIONS, { ...kind, metadata, spec, operation: operation(color) });
  }

  /** As Argo CD writes an operation: without the state of the former one, which would be mixed into it. */
  async changeApplication(name: string, color: string): Promise<void> {
    const path = `${APPLICATIONS}/${name}`;
    const put = async (): Promise<void> => {
      const { status, ...application } = await this.read<Application>(path);
      const spec = { ...application.spec, source: this.source(name, color) };
      const body = {
        ...application,
        spec,
        status: { ...status, operationState: undefined },
        operation: operation(color),
      };
      await mustCallApi(this.#access, { method: 'PUT', path, body });
    };
    // The controller writes, too; a conflict with it goes away.
    await vi.waitFor(put, { timeout: 10_000, interval: 20 });
  }

  /** The Application once the operation that brings this color is over and all of it runs. */
  untilDelivered(name: string, color: string): Promise<Application> {
    const operationState = { phase: 'Succeeded', operation: { info: [{ name: 'color', value: color }] } };
    const status = { operationState, sync: { status: 'Synced' }, health: { status: 'Healthy' } };
    return this.until<Application>(`${APPLICATIONS}/${name}`, { status });
  }

  async colorOf(name: string): Promise<string | undefined> {
    const { data } = await this.read<{ data: Record<string, string> }>(`/api/v1/namespaces/default/configmaps/${name}`);
    return data['color'];
  }

  async createOciRepository(name: string): Promise<void> {
    const layerSelector = { mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', operation: 'copy' };
    const url = `oci://${String(this.plane.registry?.host)}/charts/web`;
    await this.create(OCI_REPOSITORIES, {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'OCIRepository',
      metadata: { name },
      spec: { interval: '10m', url, ref: { tag: '1.0.0' }, layerSelector },
    });
  }

  /** Ready alone is not enough: it is written before the artifact is. */
  async untilStored(name: string): Promise<void> {
    const ready: unknown = expect.objectContaining({ type: 'Ready', status: 'True' });
    const revision: unknown = expect.stringMatching(/^1\.0\.0@sha256:[0-9a-f]{64}$/);
    const artifact = { digest: this.chart.digest, revision };
    const status = { conditions: expect.arrayContaining([ready]) as unknown, artifact };
    await this.until(`${OCI_REPOSITORIES}/${name}`, { status });
  }
}

function operation(color: string): object {
  const sync = { revision: '1.0.0', prune: true, syncOptions: ['ServerSideApply=true'] };
  return { initiatedBy: { username: 'test' }, info: [{ name: 'color', value: color }], sync, retry: { limit: 0 } };
}

const it = test.extend<{ delivery: Delivery }>({
  delivery: [
    async ({}, use) => {
      const folder = await mkdtemp(join(tmpdir(), 'kubepkg-test-'));
      const plane = await startControlPlane({ registry: true, argocd: true, flux: true });
      const chart = await packFixtureChart(folder, { name: 'web' });
      const push = ['push', chart.path, `oci://${String(plane.registry?.host)}/charts`];
      await promisify(execFile)(plane.binaries.helm, push, { env: plane.env });
      await use(new Delivery(plane, chart));
      await plane.stop();
      await rm(folder, { recursive: true });
    },
    { scope: 'file' },
  ],
});

describe('a control plane with Argo CD and Flux', () => {
  it('starts in seconds', ({ delivery: { plane } }) => {
    process.stderr.write(`control plane with registry, Argo CD and Flux started in ${String(plane.startMs)} ms\n`);
    expect(plane).toMatchObject({ argocd: { namespace: 'argocd' }, flux: { namespace: 'flux-system' } });
    expect(plane.startMs).toBeLessThan(60_000);
  });

  it('leaves nothing of what proved that it works', async ({ delivery }) => {
    expect(await delivery.read(APPLICATIONS)).toMatchObject({ items: [] });
  });

  it('delivers an Application with the chart and values it names', async ({ delivery }) => {
    await delivery.createApplication('web', 'red');
    const { status } = await delivery.untilDelivered('web', 'red');
    expect(status?.sync?.comparedTo).toEqual({ source: delivery.source('web', 'red'), destination: DESTINATION });
    expect(await delivery.colorOf('web')).toBe('red');
    await delivery.changeApplication('web', 'green');
    await delivery.untilDelivered('web', 'green');
    expect(await delivery.colorOf('web')).toBe('green');
  });

  it('stores the chart that an OCIRepository names', async ({ delivery }) => {
    await delivery.createOciRepository('web');
    await delivery.untilStored('web');
  });

  it.for(['argocd-repo-server', 'argocd-application-controller', 'redis', 'registry'] as const)(
    'delivers again after %s was killed and started anew',
    async (name, { delivery }) => {
      const { plane } = delivery;
      const before = plane.pidOf(name);
      await plane.kill(name);
      expect(plane.pidOf(name)).toBeUndefined();
      await plane.restart(name);
      expect([before, undefined]).not.toContain(plane.pidOf(name));
      await delivery.createApplication(`after-${name}`, 'blue');
      await delivery.untilDelivered(`after-${name}`, 'blue');
      expect(await delivery.colorOf(`after-${name}`)).toBe('blue');
    },
  );

  it('stores charts again after source-controller was restarted, the others left ended', async ({ delivery }) => {
    await delivery.plane.kill('redis');
    await delivery.plane.restart('source-controller');
    await delivery.createOciRepository('after-restart');
    await delivery.untilStored('after-restart');
    await delivery.plane.restart('redis');
  });

  it('delivers nothing while the application controller is paused', async ({ delivery }) => {
    const { plane } = delivery;
    plane.pause('argocd-application-controller');
    await delivery.createApplication('paused', 'red');
    // Flux works meanwhile, so time enough has passed for whoever is not paused.
    await delivery.createOciRepository('meanwhile');
    await delivery.untilStored('meanwhile');
    expect(await delivery.read(`${APPLICATIONS}/paused`)).not.toHaveProperty('status');
    plane.resume('argocd-application-controller');
    await delivery.untilDelivered('paused', 'red');
  });
});
