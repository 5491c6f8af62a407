import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject, OwnerReference } from '../api/kube.ts';
import { ANNOTATION, API_VERSION, LABEL } from '../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../api/package-revision.ts';
import { digestOf } from '../lib/digest.ts';
import { at, isRecord, type JsonObject } from '../lib/json.ts';
import type { Cluster } from '../ports/cluster.ts';

/** The values of a component or hook. */
export interface NamedValues {
  readonly name: string;
  readonly values: JsonObject;
}

/** Puts the values of a revision where only the operator reads them; they go with the revision. */
export async function saveValues(
  cluster: Cluster,
  revision: PackageRevision,
  desired: readonly NamedValues[],
): Promise<void> {
  const members = [...(revision.spec.hooks ?? []), ...(revision.spec.components ?? [])];
  const ref = members.find((component) => component.valuesRef !== undefined)?.valuesRef;
  if (ref === undefined) return;
  const object = valuesSecret(revision, ref, desired);
  try {
    await cluster.write({ verb: 'create', object });
  } catch (error) {
    if (!isCode(error, 'ApiAlreadyExists')) throw error;
    await replaceLeftover(cluster, object);
  }
}

/** One of the same name is ours already, or was left by a revision that no longer exists. */
async function replaceLeftover(cluster: Cluster, object: KubeObject): Promise<void> {
  const { name, namespace = '' } = object.metadata;
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name };
  const found = await cluster.read(ref, { metadataOnly: true });
  if (found !== undefined && ownerOf(found) === ownerOf(object)) return;
  if (found !== undefined) await removeLeftover(cluster, found);
  await cluster.write({ verb: 'create', object });
}

function ownerOf(secret: KubeObject): string | undefined {
  return secret.metadata.ownerReferences?.[0]?.uid;
}

async function removeLeftover(cluster: Cluster, { metadata }: KubeObject): Promise<void> {
  const { name, namespace = '', labels, uid = '' } = metadata;
  if (labels?.[LABEL.package] === undefined) {
    throw new KubepkgError('OwnershipConflict', `Secret ${namespace}/${name} exists and was not made by kubepkg`, {
      hint: 'rename or remove it: kubepkg keeps the values of a revision under that name',
    });
  }
  await cluster.write({ verb: 'delete', ref: { apiVersion: 'v1', kind: 'Secret', namespace, name }, uid });
}

function valuesSecret(
  revision: PackageRevision,
  ref: { readonly namespace: string; readonly name: string },
  desired: readonly NamedValues[],
): KubeObject {
  const owner: OwnerReference = {
    apiVersion: API_VERSION,
    kind: 'PackageRevision',
    name: revision.metadata.name,
    uid: revision.metadata.uid ?? '',
  };
  const data = Object.fromEntries(
    desired.map(({ name, values }) => [name, Buffer.from(JSON.stringify(values)).toString('base64')]),
  );
  const labels = { [LABEL.package]: revision.spec.package };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: ref.name, namespace: ref.namespace, labels, ownerReferences: [owner] },
    type: 'kubepkg.dev/values',
    data,
  };
}

/** The values that a revision recorded for a component, checked against their digest. */
export async function readValues(cluster: Cluster, component: RevisionComponent): Promise<JsonObject> {
  const { valuesRef } = component;
  if (valuesRef === undefined) return {};
  const { namespace, name, key } = valuesRef;
  const secret = await cluster.read({ apiVersion: 'v1', kind: 'Secret', namespace, name });
  const values = decoded(at(secret, 'data', key));
  if (!isRecord(values) || digestOf(values) !== component.valuesDigest) {
    throw new KubepkgError(
      'DigestMismatch',
      `the recorded values of component ${component.name} in Secret ${namespace}/${name} are missing or were changed`,
      {
        hint: `set a new value in annotation ${ANNOTATION.retry} to record them anew`,
      },
    );
  }
  // Parsed from JSON just above.
  return values as JsonObject;
}

/** Undefined for what is no JSON: the parser's own message would repeat a part of the values. */
function decoded(encoded: unknown): unknown {
  if (typeof encoded !== 'string') return undefined;
  try {
    return JSON.parse(Buffer.from(encoded, 'base64').toString());
  } catch {
    return undefined;
  }
}
