import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refOf } from '../../api/kube.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import type { DeliveredDocument, DeliveredRelease, ReleaseReader } from '../../compose/release-reader.ts';
import type { JsonValue } from '../../lib/json.ts';
import { parseYaml, writeYaml, YamlError } from '../../lib/yaml.ts';
import type { Cluster } from '../host.ts';
import { maskSecret } from './mask.ts';
import { deliveryOf, type Member, targetOf } from './package-scope.ts';
import type { Troubles } from './troubles.ts';

/** The objects of one component. */
export interface ComponentManifest {
  readonly component: string;
  /** Where they are from, for people. */
  readonly origin: string;
  readonly documents: readonly DeliveredDocument[];
  readonly notes: string;
}

export interface ManifestSight {
  readonly cluster: Cluster;
  readonly releases: ReleaseReader;
  readonly troubles: Troubles;
}

export interface ManifestQuery {
  readonly revision: PackageRevision;
  /** What it wants is what is wanted now. */
  readonly isNewest: boolean;
  readonly members: readonly Member[];
}

/** What a revision delivered; what cannot be had is noted and left out. */
export async function readManifests(
  sight: ManifestSight,
  { revision, isNewest, members }: ManifestQuery,
): Promise<readonly ComponentManifest[]> {
  const read = members.map(async (member) => {
    const manifest = await sight.troubles.attempt(`the manifest of component ${member.component.name}`, () =>
      readManifest(sight, { revision, isNewest, member }),
    );
    return manifest === undefined ? [] : [manifest];
  });
  return (await Promise.all(read)).flat();
}

interface Asked {
  readonly revision: PackageRevision;
  readonly isNewest: boolean;
  readonly member: Member;
}

async function readManifest(sight: ManifestSight, asked: Asked): Promise<ComponentManifest> {
  const { revision, member } = asked;
  if (!sight.releases.keepsManifests(revision.spec.backend)) return liveManifest(sight, asked);
  const { name } = member.component;
  const release = await deliveredRelease(sight.releases, revision, member);
  const target = `${member.component.namespace}/${member.component.releaseName}`;
  return {
    component: name,
    origin: `release ${target}, release revision ${String(release.revision)} (${release.status})`,
    documents: release.documents,
    notes: release.notes,
  };
}

/** The record of what a revision delivered of a component, or why there is none. */
export async function deliveredRelease(
  releases: ReleaseReader,
  revision: PackageRevision,
  member: Member,
): Promise<DeliveredRelease> {
  const number = `revision ${String(revision.spec.revision)}`;
  const delivery = deliveryOf(revision, member);
  if (delivery === undefined) throw new KubepkgError('Unsupported', `${number} has not delivered it`);
  const query = { backend: revision.spec.backend, target: targetOf(revision.spec.package, member.component) };
  const release = await releases.delivered(query, delivery);
  if (release !== undefined) return release;
  throw new KubepkgError('Unsupported', `the release record of ${number} is not kept any more`, {
    hint: 'only the last records of a release are kept; a newer revision has one: --revision N',
  });
}

/** Where nobody keeps manifests, the objects of the newest delivery are the nearest to one. */
async function liveManifest(sight: ManifestSight, { revision, isNewest, member }: Asked): Promise<ComponentManifest> {
  const { name } = member.component;
  if (!isNewest) {
    throw new KubepkgError('Unsupported', 'its backend keeps no manifests of what it delivered', {
      hint: 'see the objects as they are now: kubepkg get manifest, without --revision',
    });
  }
  const query = { backend: revision.spec.backend, target: targetOf(revision.spec.package, member.component) };
  const refs = await sight.releases.inventory(query);
  const read = refs.map((ref) =>
    sight.troubles.attempt(`${ref.kind} ${ref.name}`, async () => (await sight.cluster.read(ref)) ?? []),
  );
  const objects = (await Promise.all(read)).flatMap((object) => object ?? []);
  const origin = 'as the objects are now: its backend keeps no manifests';
  const documents = objects.map((object) => ({ ref: refOf(object), text: writeYaml(withoutServerFields(object)) }));
  return { component: name, origin, documents, notes: '' };
}

function withoutServerFields(object: KubeObject): KubeObject {
  const {
    managedFields: _m,
    uid: _u,
    resourceVersion: _r,
    generation: _g,
    creationTimestamp: _c,
    ...metadata
  } = object.metadata;
  const { status: _s, ...rest } = object;
  return { ...rest, apiVersion: object.apiVersion, kind: object.kind, metadata };
}

/** The objects that a manifest describes, in their namespaces. */
export function manifestObjects({ component, documents }: ComponentManifest): readonly KubeObject[] {
  return documents.map((document) => objectIn(document, component));
}

function objectIn({ text, ref }: DeliveredDocument, component: string): KubeObject {
  // It names an object, or it would not be among the documents.
  const object = parsed(text, component) as unknown as KubeObject;
  const { namespace } = ref;
  return namespace === undefined ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

function parsed(text: string, component: string): JsonValue {
  try {
    return parseYaml(text, `the manifest of component ${component}`);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new KubepkgError('HelmFailed', error.message);
  }
}

/** As it was delivered, a comment above each component; Secrets with their keys alone, unless they are to be shown. */
export function manifestText(manifests: readonly ComponentManifest[], showSecrets: boolean): string {
  return manifests
    .map(({ component, origin, documents }) => {
      const texts = documents.map((document) => {
        const isHidden = document.ref.kind === 'Secret' && !showSecrets;
        return `---\n${isHidden ? writeYaml(maskSecret(objectIn(document, component))) : `${document.text.trim()}\n`}`;
      });
      return `# component ${component}: ${origin}\n${texts.join('')}`;
    })
    .join('');
}
