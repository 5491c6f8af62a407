import type { KubeObject } from '../../api/kube.ts';
import { API_VERSION } from '../../api/names.ts';
import type { PackageRevision, RevisionComponent } from '../../api/package-revision.ts';
import { everyMember } from '../../domain/decide/views.ts';
import { withAdditions } from '../../domain/release/additions.ts';
import { asArray, isRecord, type JsonObject } from '../../lib/json.ts';

/** Values by the name of a component; undefined: they could not be read. */
export type ValuesByName = ReadonlyMap<string, JsonObject | undefined>;

export interface Described {
  readonly values: ValuesByName;
  /** Components whose charts are the same, byte for byte, in what this one is compared with: where they are from tells nothing. */
  readonly sameCharts: ReadonlySet<string>;
}

/** What two revisions are compared by: all that makes a difference in the cluster, components by their names. */
export function describeRevision(revision: PackageRevision, described: Described): KubeObject {
  const { spec } = withAdditions(revision);
  const { version, build, variant, backend, rollbackSafe, crds, requires } = spec;
  const describeAll = (components: readonly RevisionComponent[] = []): Readonly<Record<string, unknown>> =>
    Object.fromEntries(components.map((component) => [component.name, describeComponent(component, described)]));
  const hooks = describeAll(spec.hooks);
  return {
    apiVersion: API_VERSION,
    kind: 'PackageRevision',
    metadata: { name: spec.package },
    spec: defined({
      version: version === '' ? undefined : version,
      build,
      variant,
      backend,
      rollbackSafe,
      crds: crds?.length === 0 ? undefined : crds,
      requires,
      hooks: Object.keys(hooks).length === 0 ? undefined : hooks,
      components: describeAll(spec.components),
    }),
  };
}

/** Names of the components of which both have the same chart. */
export function sameCharts(one: PackageRevision, other: PackageRevision): ReadonlySet<string> {
  const digests = new Map(everyMember(other).map(({ name, chartDigest }) => [name, chartDigest]));
  const same = everyMember(one).filter(
    ({ name, chartDigest }) => chartDigest !== '' && digests.get(name) === chartDigest,
  );
  return new Set(same.map(({ name }) => name));
}

function describeComponent(component: RevisionComponent, { values, sameCharts: same }: Described): unknown {
  const { name, releaseName, chartDigest, valuesDigest, valuesRef: _ref, digest: _digest, chart, ...rest } = component;
  const known = values.get(name);
  return defined({
    ...rest,
    releaseName: releaseName === name ? undefined : releaseName,
    chart: chart === undefined || same.has(name) ? undefined : withoutTreeDigest(chart),
    chartDigest: chartDigest === '' ? undefined : chartDigest,
    values: known === undefined || Object.keys(known).length === 0 ? undefined : known,
    // Whether they differ can still be told.
    valuesDigest: known === undefined ? valuesDigest : undefined,
  });
}

/** Any change of the tree changes it; the digest of the chart is what counts. */
function withoutTreeDigest({ treeDigest: _tree, ...chart }: NonNullable<RevisionComponent['chart']>): unknown {
  return chart;
}

function defined(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** A schema that says of each list whose items all have a name, on both sides, that they are told apart by it. */
export function schemaOfNames(before: unknown, after: unknown): unknown {
  if (Array.isArray(before) && Array.isArray(after)) {
    const isNamed = [...asArray(before), ...asArray(after)].every(
      (item) => isRecord(item) && typeof item['name'] === 'string',
    );
    return isNamed ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] } : {};
  }
  if (!isRecord(before) || !isRecord(after)) return {};
  const shared = Object.keys(before).filter((key) => key in after);
  return { properties: Object.fromEntries(shared.map((key) => [key, schemaOfNames(before[key], after[key])])) };
}
