import { APPLICATION } from '../backends/argocd/application.ts';
import { KubepkgError } from '../api/errors.ts';
import type { ObjectRef } from '../api/kube.ts';
import { LABEL } from '../api/names.ts';
import { nameLabel } from '../helm/labels.ts';
import { manifestDocuments } from '../helm/manifest.ts';
import { ReleaseStore } from '../helm/release-store.ts';
import type { RecordHead } from '../helm/interpret.ts';
import { asString, at } from '../lib/json.ts';
import type { Backend, InventoryItem, ReleaseTarget } from '../ports/backend.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { Clock } from '../ports/system.ts';
import { ARGO_NAMESPACE, ARGO_PROJECT, DEFAULT_BACKEND } from './backend-names.ts';
import { createBackends } from './backends.ts';
import { chartOf } from './live-values.ts';

/** One object of a manifest, as it was delivered. */
export interface DeliveredDocument {
  readonly ref: ObjectRef;
  /** YAML, or JSON where it stood in a list. */
  readonly text: string;
}

/** What a release record holds of one delivery. */
export interface DeliveredRelease {
  /** The backend's number of it. */
  readonly revision: number;
  /** Such as `deployed`. */
  readonly status: string;
  readonly chartName: string;
  readonly chartVersion: string;
  readonly documents: readonly DeliveredDocument[];
  /** The text that the chart has for people. */
  readonly notes: string;
}

export interface ReleaseReaderQuery {
  /** As the revision names it; absent: the default one. */
  readonly backend: string | undefined;
  readonly target: ReleaseTarget;
}

/** What was delivered, for somebody who only looks: nothing is rendered, fetched or written for an answer. */
export interface ReleaseReader {
  inventory(query: ReleaseReaderQuery): Promise<readonly InventoryItem[]>;
  /** By the backend's number, else the newest; undefined: no record of it is kept (any more). */
  delivered(query: ReleaseReaderQuery, revision?: number): Promise<DeliveredRelease | undefined>;
  /** False: the backend keeps no manifests, so nothing is known but what runs. */
  keepsManifests(backend: string | undefined): boolean;
}

export function createReleaseReader(cluster: Cluster, clock: Clock): ReleaseReader {
  const store = new ReleaseStore(cluster);
  const backends = new Map<string, ReadonlyMap<string, Backend>>();
  const backendOf = async ({ backend, target }: ReleaseReaderQuery): Promise<Backend> => {
    const namespace = await controllerNamespace(cluster, { backend, target });
    const known = backends.get(namespace) ?? lookingBackends(cluster, clock, namespace);
    backends.set(namespace, known);
    return required(known, backend);
  };
  return {
    inventory: async (query) => (await backendOf(query)).inventory(query.target, 'newest'),
    delivered: async ({ backend, target }, revision) => {
      if (!keepsManifests(backend)) return undefined;
      const heads = (await store.heads(target)).filter((head) => isOwn(head, target));
      const head = revision === undefined ? heads[0] : heads.find((one) => one.revision === revision);
      return head === undefined ? undefined : readDelivered(store, head, target);
    },
    keepsManifests,
  };
}

/** Whether an object of Helm's records stands for each delivery: not so where Argo CD renders by itself. */
function keepsManifests(backend: string | undefined): boolean {
  return backend !== 'argocd';
}

/** Backends that can look and nothing else. */
function lookingBackends(cluster: Cluster, clock: Clock, argoNamespace: string): ReadonlyMap<string, Backend> {
  const refuse = (): never => {
    throw new KubepkgError('Internal', 'nothing is delivered by somebody who only looks');
  };
  return createBackends(
    { argoNamespace, argoProject: ARGO_PROJECT, argoInlineSecretValues: false },
    {
      cluster,
      clock,
      runner: { run: refuse },
      helm: { binary: '', environment: {} },
      tempDir: '',
      charts: { refuses: refuse, locate: refuse },
    },
  );
}

function required(backends: ReadonlyMap<string, Backend>, name = DEFAULT_BACKEND as string): Backend {
  const backend = backends.get(name);
  if (backend !== undefined) return backend;
  throw new KubepkgError('Unsupported', `this program knows no backend ${name}`, {
    hint: 'use the version of kubepkg that the operator has: kubepkg version',
  });
}

/** Only the operator was told where Applications are made; an Application of the package tells it too. */
async function controllerNamespace(cluster: Cluster, { backend, target }: ReleaseReaderQuery): Promise<string> {
  if (backend !== 'argocd') return ARGO_NAMESPACE;
  const labelSelector = `${LABEL.package}=${nameLabel(target.package)}`;
  const { items } = await cluster.list({ ...APPLICATION, labelSelector, metadataOnly: true });
  return items[0]?.metadata.namespace ?? ARGO_NAMESPACE;
}

/** Records that a controller made do not say whose they are. */
function isOwn({ labels }: RecordHead, target: ReleaseTarget): boolean {
  const owner = labels[LABEL.package];
  return owner === undefined || owner === nameLabel(target.package);
}

async function readDelivered(
  store: ReleaseStore,
  head: RecordHead,
  target: ReleaseTarget,
): Promise<DeliveredRelease | undefined> {
  const stored = await store.read(head);
  if (stored === undefined) return undefined;
  const { record } = stored;
  return {
    revision: head.revision,
    status: head.status,
    ...chartOf(record),
    documents: await store.placed(manifestDocuments(record.manifest), target.namespace),
    notes: asString(at(record.raw, 'info', 'notes')) ?? '',
  };
}
