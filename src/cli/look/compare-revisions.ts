import { type KubeObject, refKey, refOf } from '../../api/kube.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { secretValuesOf } from '../../domain/plan/diff/clean.ts';
import { diffObjects } from '../../domain/plan/diff/object-change.ts';
import { readValues } from '../../engine/values.ts';
import { at, type JsonObject, type JsonValue } from '../../lib/json.ts';
import { type Comparison, type ComponentChange, isChanged } from './comparison.ts';
import { describeRevision, sameCharts, schemaOfNames, type ValuesByName } from './describe-revision.ts';
import { manifestObjects, readManifests } from './manifests.ts';
import { maskSides } from './mask.ts';
import { allMembers } from './package-scope.ts';
import type { Sight } from './sight.ts';

export interface RevisionPair {
  readonly package: Package;
  readonly from: PackageRevision;
  readonly to: PackageRevision;
  /** Absent: all of them, and the package itself. */
  readonly component: string | undefined;
  readonly showSecrets: boolean;
}

/** Version, placement, charts, readiness and values, as the revisions have recorded them. */
export async function compareRevisions(sight: Sight, pair: RevisionPair): Promise<Comparison> {
  const read = await Promise.all([valuesIn(sight, pair.from), valuesIn(sight, pair.to)]);
  const [left, right] = readOnBothSides(read);
  const shown = pair.showSecrets ? { before: left, after: right } : maskedValues(pair.package, left, right);
  const same = sameCharts(pair.from, pair.to);
  const [before, after] = [
    describeRevision(pair.from, { values: shown.before, sameCharts: same }),
    describeRevision(pair.to, { values: shown.after, sameCharts: same }),
  ].map((one) => (pair.component === undefined ? one : onlyComponent(one, pair.component))) as [KubeObject, KubeObject];
  const change = diffObjects(before, after, { schema: schemaOfNames(before, after) });
  const revisions = [pair.from.metadata.name, pair.to.metadata.name];
  return {
    before: nameOfRevision(pair.from),
    after: nameOfRevision(pair.to),
    changes: [{ change, revisions }].filter(isChanged),
    unread: sight.troubles.texts(),
  };
}

export function nameOfRevision({ spec }: PackageRevision): string {
  const version = spec.version === '' ? 'unversioned' : spec.version;
  return `${spec.package} revision ${String(spec.revision)} (${version})`;
}

async function valuesIn({ cluster, troubles }: Sight, revision: PackageRevision): Promise<ValuesByName> {
  const read = allMembers(revision).map(async ({ component }) => {
    const what = `the values of component ${component.name} at revision ${String(revision.spec.revision)}`;
    return [component.name, await troubles.attempt(what, () => readValues(cluster, component))] as const;
  });
  return new Map(await Promise.all(read));
}

/** What could not be read on one side has not been removed. */
function readOnBothSides([left, right]: readonly [ValuesByName, ValuesByName]): readonly [ValuesByName, ValuesByName] {
  const isUnread = (name: string): boolean =>
    [left, right].some((side) => side.has(name) && side.get(name) === undefined);
  const without = (side: ValuesByName): ValuesByName =>
    new Map([...side].map(([name, values]) => [name, isUnread(name) ? undefined : values]));
  return [without(left), without(right)];
}

/** A component that only one side has is told of by that side. */
function maskedValues(
  pkg: Package,
  left: ValuesByName,
  right: ValuesByName,
): { readonly before: ValuesByName; readonly after: ValuesByName } {
  const before = new Map<string, JsonObject | undefined>();
  const after = new Map<string, JsonObject | undefined>();
  for (const name of new Set([...left.keys(), ...right.keys()])) {
    const said = at(pkg.spec.components, name, 'values') as JsonValue | undefined;
    const masked = maskSides(left.get(name) ?? {}, right.get(name) ?? {}, said);
    before.set(name, left.get(name) === undefined ? undefined : masked.before);
    after.set(name, right.get(name) === undefined ? undefined : masked.after);
  }
  return { before, after };
}

function onlyComponent(object: KubeObject, name: string): KubeObject {
  const kept = (['hooks', 'components'] as const).flatMap((field) => {
    const component = at(object, 'spec', field, name);
    return component === undefined ? [] : [[field, { [name]: component }] as const];
  });
  return { ...object, spec: Object.fromEntries(kept) };
}

/** What was delivered, object by object. */
export async function compareManifests(sight: Sight, pair: RevisionPair): Promise<Comparison> {
  const [left, right] = await Promise.all([deliveredBy(sight, pair.from, pair), deliveredBy(sight, pair.to, pair)]);
  const secretValues = secretValuesOf([...left.objects, ...right.objects].map(([, { object }]) => object));
  const [before, after] = [new Map(left.objects), new Map(right.objects)];
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  const changes = keys.flatMap((key): readonly ComponentChange[] => {
    const [one, other] = [before.get(key), after.get(key)];
    const component = (other ?? one)?.component ?? '';
    // What could not be had on one side has not been removed.
    if (!left.components.has(component) || !right.components.has(component)) return [];
    if (other !== undefined) return [{ component, change: diffObjects(one?.object, other.object, { secretValues }) }];
    return one === undefined ? [] : [{ component, change: diffObjects(one.object, undefined, { secretValues }) }];
  });
  return {
    before: nameOfRevision(pair.from),
    after: nameOfRevision(pair.to),
    changes: changes.filter(isChanged),
    unread: sight.troubles.texts(),
  };
}

interface Delivered {
  readonly objects: readonly (readonly [string, { readonly component: string; readonly object: KubeObject }])[];
  /** Whose manifests could be had, and those that the revision does not have at all. */
  readonly components: { has(name: string): boolean };
}

async function deliveredBy(
  sight: Sight,
  revision: PackageRevision,
  { component: wanted }: RevisionPair,
): Promise<Delivered> {
  const all = allMembers(revision);
  const members = all.filter(({ component }) => wanted === undefined || component.name === wanted);
  const manifests = await readManifests(sight, { revision, isNewest: false, members });
  const had = new Set(manifests.map(({ component }) => component));
  return {
    objects: manifests.flatMap((manifest) =>
      manifestObjects(manifest).map(
        (object) => [refKey(refOf(object)), { component: manifest.component, object }] as const,
      ),
    ),
    components: { has: (name) => had.has(name) || !all.some(({ component }) => component.name === name) },
  };
}
