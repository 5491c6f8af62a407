import { KubepkgError } from '../../api/errors.ts';
import { type KubeObject, refOf } from '../../api/kube.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { objectOf } from '../../compose/delivered-object.ts';
import type { DeliveredDocument, DeliveredRelease, ReleaseReader } from '../../compose/release-reader.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { writeYaml } from '../../lib/yaml.ts';
import { maskObject, maskText } from './mask.ts';
import { type Member, progressIn } from './package-scope.ts';
import { releaseQuery, type Sight } from './sight.ts';

export interface ReadDocument extends DeliveredDocument {
  /** What the text describes, in its namespace. */
  readonly object: KubeObject;
}

/** The objects of one component. */
export interface ComponentManifest {
  readonly component: string;
  /** Where they are from, for people. */
  readonly origin: string;
  readonly documents: readonly ReadDocument[];
  readonly notes: string;
}

export interface ManifestQuery {
  readonly revision: PackageRevision;
  /** What it wants is what is wanted now. */
  readonly isNewest: boolean;
  readonly members: readonly Member[];
}

/** What a revision delivered; what cannot be had is noted and left out. */
export async function readManifests(
  sight: Sight,
  { revision, isNewest, members }: ManifestQuery,
): Promise<readonly ComponentManifest[]> {
  const read = members.map(async (member) => {
    const manifest = await sight.troubles.attempt(`the manifest of component ${member.component.name}`, () =>
      readManifest(sight, { revision, isNewest, member, isAlone: members.length === 1 }),
    );
    return manifest ?? [];
  });
  return (await Promise.all(read)).flat();
}

interface Asked {
  readonly revision: PackageRevision;
  readonly isNewest: boolean;
  readonly member: Member;
  readonly isAlone: boolean;
}

async function readManifest(sight: Sight, asked: Asked): Promise<ComponentManifest | undefined> {
  const { revision, member } = asked;
  if (!sight.releases.keepsManifests(revision.spec.backend)) {
    return isHookDone(asked) ? missingOfHook(asked) : liveManifest(sight, asked);
  }
  const { name } = member.component;
  const release = await deliveredRelease(sight.releases, asked);
  if (release === undefined) return undefined;
  const target = `${member.component.namespace}/${member.component.releaseName}`;
  return {
    component: name,
    origin: `release ${target}, release revision ${String(release.revision)} (${release.status})`,
    documents: release.documents.map((document) => ({ ...document, object: objectOf(document) })),
    notes: release.notes,
  };
}

/** The record of what a revision delivered of a component, or why there is none; undefined: it is not to be missed. */
async function deliveredRelease(
  releases: ReleaseReader,
  { revision, member, isAlone }: Asked,
): Promise<DeliveredRelease | undefined> {
  const number = `revision ${String(revision.spec.revision)}`;
  const delivery = progressIn(revision, member).backendRevision;
  if (delivery === undefined) throw new KubepkgError('Unsupported', `${number} has not delivered it`);
  const release = await releases.delivered(releaseQuery(revision, member.component), delivery);
  if (release !== undefined) return release;
  if (isHookDone({ revision, member })) return missingOfHook({ isAlone });
  throw new KubepkgError('Unsupported', `the release record of ${number} is not kept any more`, {
    hint: 'only the last records of a release are kept; a newer revision has one: --revision N',
  });
}

export function isHookDone({ revision, member }: Pick<Asked, 'revision' | 'member'>): boolean {
  return member.part === 'hooks' && progressIn(revision, member).state === 'Ready';
}

/** P16: the release of a hook goes once it has succeeded, and its record with it. */
function missingOfHook({ isAlone }: Pick<Asked, 'isAlone'>): (ComponentManifest & DeliveredRelease) | undefined {
  if (!isAlone) return undefined;
  throw new KubepkgError('Unsupported', 'a hook that has succeeded is uninstalled, with its record');
}

/** Where nobody keeps manifests, the objects of the newest delivery are the nearest to one. */
async function liveManifest(sight: Sight, { revision, isNewest, member }: Asked): Promise<ComponentManifest> {
  const { name } = member.component;
  if (!isNewest) {
    throw new KubepkgError('Unsupported', 'its backend keeps no manifests of what it delivered', {
      hint: 'see the objects as they are now: kubepkg get manifest, without --revision',
    });
  }
  const refs = await sight.releases.inventory(releaseQuery(revision, member.component));
  const read = refs.map((ref) =>
    sight.troubles.attempt(`${ref.kind} ${ref.name}`, async () => (await sight.cluster.read(ref)) ?? []),
  );
  const objects = (await Promise.all(read)).flatMap((object) => object ?? []).map(withoutServerFields);
  const origin = 'as the objects are now: its backend keeps no manifests';
  const documents = objects.map((object) => ({ ref: refOf(object), text: writeYaml(object), object }));
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
export function manifestObjects({ documents }: ComponentManifest): readonly KubeObject[] {
  return documents.map(({ object }) => object);
}

/** As it was delivered, a comment above each component; without what is secret, unless no values are to be hidden. */
export function manifestText(
  manifests: readonly ComponentManifest[],
  secretValues: readonly string[] | undefined,
): string {
  return manifests
    .map(({ component, origin, documents }) => {
      const texts = documents.map((document) => {
        const text = secretValues === undefined ? document.text : shownText(document, secretValues);
        return `---\n${text.trim()}\n`;
      });
      return `# component ${component}: ${origin}\n${texts.join('')}`;
    })
    .join('');
}

/** Where something of it is hidden, the object that is left: a text may spell a value in many ways. */
function shownText({ object, text }: ReadDocument, secretValues: readonly string[]): string {
  const masked = maskObject(object, secretValues);
  if (stableJson(masked) !== stableJson(object)) return writeYaml(masked);
  if (maskText(text, secretValues) === text) return text;
  // All but comments is part of the object.
  const lines = text.split('\n').map((line) => (line.includes('#') ? maskText(line, secretValues) : line));
  return lines.join('\n');
}
