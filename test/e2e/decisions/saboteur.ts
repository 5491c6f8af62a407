import { createServer, type Server } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { KubeClient } from '../../../src/adapters/kube/kube-client.ts';
import type { KubeObject, OwnerReference } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { PackageRevision } from '../../../src/api/package-revision.ts';
import type { Failure, FailureKind } from '../../../src/compose/rehearsal/failure.ts';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';
import type { Subscription } from '../../../src/ports/cluster.ts';

const RELEASE = 'meta.helm.sh/release-name';
/** How the nodes of the rig are told. */
const BEHAVIOURS: Readonly<Record<FailureKind, Readonly<Record<string, string>>>> = {
  'never-ready': { 'sim.kubepkg.dev/behavior': 'never-ready' },
  crash: { 'sim.kubepkg.dev/behavior': 'crash-loop' },
  hook: { 'sim.kubepkg.dev/exit-code': '1' },
  render: {},
};

interface AdmissionRequest {
  readonly uid: string;
  readonly namespace: string;
  readonly object: KubeObject;
}

/**
 * Makes pods of the real control plane fail exactly as a rehearsal does: those of a release that are made from now on,
 * until a rollback begins. The charts stay as they are, so both sides play the same package.
 */
export class Saboteur {
  readonly #cluster: KubeClient;
  /** By package. */
  readonly #failures = new Map<string, readonly Failure[]>();
  readonly #server: Server;
  readonly #watch: Subscription;

  private constructor(cluster: KubeClient, tls: { readonly key: string; readonly cert: string }) {
    this.#cluster = cluster;
    this.#server = createServer(tls, (request, response) => {
      void this.#answer(request).then((text) => {
        response.setHeader('Content-Type', 'application/json');
        response.end(text);
      });
    });
    this.#watch = cluster.watch({ apiVersion: API_VERSION, kind: 'PackageRevision' }, (event) => {
      if (event.type !== 'set') return;
      const { spec } = event.object as unknown as PackageRevision;
      if ((spec.restoredFrom ?? 0) > 0) this.#failures.delete(spec.package);
    });
  }

  static async start(cluster: KubeClient): Promise<Saboteur> {
    const authority = createAuthority('saboteur', Date.now());
    const { key, certificate } = authority.issue('saboteur');
    const saboteur = new Saboteur(cluster, { key, cert: certificate });
    await new Promise<void>((resolve) => saboteur.#server.listen(0, '127.0.0.1', resolve));
    const { port } = saboteur.#server.address() as AddressInfo;
    const caBundle = Buffer.from(authority.certificate).toString('base64');
    await cluster.write({ verb: 'create', object: webhook(`https://127.0.0.1:${String(port)}/`, caBundle) });
    return saboteur;
  }

  fail(pkg: string, failures: readonly Failure[]): void {
    this.#failures.set(pkg, failures);
  }

  stop(): void {
    this.#watch.stop();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(request: IncomingMessage): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: AdmissionRequest };
    const { uid, namespace, object } = review.request;
    const patch = await this.#patchOf(object, namespace);
    const changes =
      patch.length === 0
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
    const response = { uid, allowed: true, ...changes };
    return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response });
  }

  async #patchOf(pod: KubeObject, namespace: string): Promise<readonly unknown[]> {
    const here = [...this.#failures.values()].flat().filter((failure) => failure.namespace === namespace);
    if (here.length === 0) return [];
    const release = await this.#releaseOf(pod, namespace);
    const found = here.find(({ releaseName }) => releaseName === release);
    if (found === undefined) return [];
    const ownedByJob = controllerOf(pod)?.kind === 'Job';
    const behaviour = BEHAVIOURS[ownedByJob && found.kind === 'crash' ? 'hook' : found.kind];
    return [{ op: 'add', path: '/metadata/annotations', value: { ...pod.metadata.annotations, ...behaviour } }];
  }

  async #releaseOf(object: KubeObject, namespace: string): Promise<string | undefined> {
    const own = object.metadata.annotations?.[RELEASE];
    const owner = controllerOf(object);
    if (own !== undefined || owner === undefined) return own;
    const { apiVersion, kind, name } = owner;
    const found = await this.#cluster.read({ apiVersion, kind, namespace, name });
    return found === undefined ? undefined : this.#releaseOf(found, namespace);
  }
}

function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

function webhook(url: string, caBundle: string): KubeObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: 'saboteur' },
    webhooks: [
      {
        name: 'saboteur.example.org',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        clientConfig: { url, caBundle },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'], scope: '*' }],
      },
    ],
  };
}
