import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION } from '../../api/names.ts';
import type { LiveRelease } from '../../compose/live-values.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { asArray, asString, at, isJsonObject, isRecord, type JsonValue } from '../../lib/json.ts';
import { maskValues } from '../look/mask.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatTable } from '../text/table.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface Place {
  readonly namespace: string;
  readonly releaseName: string;
}

/** One component, and the release that is to become its own. */
export interface Adoption {
  readonly component: string;
  readonly place: Place;
  /** By `--component`: the Package has to say where. */
  readonly isMoved: boolean;
  /** Of the Package already; they stay. */
  readonly hasValues: boolean;
  readonly live: LiveRelease | undefined;
}

/** `NAME=NAMESPACE/RELEASE`, by component. */
export function parsePlaces(words: readonly string[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const word of words) {
    const match = /^([^=/]+)=([^=/]+)\/([^=/]+)$/.exec(word);
    const [, component = '', namespace = '', releaseName = ''] = match ?? [];
    if (match === null) {
      throw new KubepkgError('InvalidInput', `--component ${word} names no component and release`, {
        hint: 'write --component COMPONENT=NAMESPACE/RELEASE',
      });
    }
    if (places.has(component)) {
      throw new KubepkgError('InvalidInput', `--component is given twice for ${component}`, {
        hint: 'a component has one release',
      });
    }
    places.set(component, { namespace, releaseName });
  }
  return places;
}

interface Written {
  readonly source: KubeObject;
  readonly variant: string;
  /** The Package as it will be without the adoption. */
  readonly package: unknown;
  readonly places: ReadonlyMap<string, Place>;
}

/** Components that are installed, hooks left out, each with its place. */
export function candidatesOf(written: Written): readonly Omit<Adoption, 'live'>[] {
  const variants = asArray(at(written.source, 'spec', 'variants'));
  const variant = variants.find((one) => at(one, 'name') === written.variant);
  const components = asArray(at(variant, 'components')).filter(
    (one) => at(one, 'install') !== undefined && at(one, 'install', 'phase') === undefined,
  );
  refuseUnknown(
    written,
    components.map((one) => asString(at(one, 'name')) ?? ''),
  );
  return components
    .map((component) => candidateOf(component, written))
    .filter(({ component }) => at(written.package, 'spec', 'components', component, 'enabled') !== false);
}

function refuseUnknown({ places, source, variant }: Written, names: readonly string[]): void {
  const unknown = [...places.keys()].find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new KubepkgError('InvalidInput', `package ${source.metadata.name} has no component ${unknown} to adopt for`, {
    hint: didYouMeanHint(unknown, names, `the components of variant ${variant} are ${names.join(', ')}`),
  });
}

function candidateOf(written: unknown, { package: pkg, places }: Written): Omit<Adoption, 'live'> {
  const component = asString(at(written, 'name')) ?? '';
  const own = at(pkg, 'spec', 'components', component);
  const given = places.get(component);
  const declared = {
    namespace: asString(at(own, 'namespace')) ?? asString(at(written, 'install', 'namespace')) ?? '',
    releaseName: asString(at(own, 'releaseName')) ?? asString(at(written, 'install', 'releaseName')) ?? component,
  };
  const hasValues = at(own, 'values') !== undefined;
  return { component, place: given ?? declared, isMoved: given !== undefined, hasValues };
}

/** P21: what belongs to another package is not taken over. */
export function refuseAdoption(name: string, adoptions: readonly Adoption[]): void {
  const others = adoptions.find(({ live }) => live?.owner !== undefined && live.owner !== name);
  if (others !== undefined) {
    throw new KubepkgError(
      'OwnershipConflict',
      `release ${keyOf(others)} belongs to package ${others.live?.owner ?? ''}`,
      {
        hint: 'remove it from that package first, or choose another release',
      },
    );
  }
  const missing = adoptions.find(({ isMoved, live }) => isMoved && live === undefined);
  if (missing !== undefined) {
    throw new KubepkgError('NotFound', `component ${missing.component}: there is no release ${keyOf(missing)}`, {
      hint: 'list those that there are: helm list --all-namespaces',
    });
  }
  if (adoptions.length > 0 && adoptions.every(({ live }) => live?.owner === name)) {
    throw new KubepkgError('InvalidInput', `package ${name} has all of its releases already`, {
      hint: `to change it: kubepkg upgrade ${name}`,
    });
  }
}

/** What is applied: the annotation, places that differ from the source's, and the values that run. */
export function adoptingPackage(
  name: string,
  base: Fields,
  adoptions: readonly Adoption[],
): { readonly metadata: KubeObject['metadata']; readonly spec: Fields } {
  const metadata = recordOf(base['metadata']);
  const spec = recordOf(base['spec']);
  const components: Record<string, unknown> = { ...recordOf(spec['components']) };
  for (const adoption of adoptions) {
    const fields = fieldsOf(adoption);
    if (Object.keys(fields).length === 0) continue;
    components[adoption.component] = { ...recordOf(components[adoption.component]), ...fields };
  }
  const annotations = { ...recordOf(metadata['annotations']), [ANNOTATION.adopt]: 'true' };
  return {
    metadata: { ...metadata, name, annotations },
    spec: { ...spec, ...(Object.keys(components).length === 0 ? {} : { components }) },
  };
}

function fieldsOf(adoption: Adoption): Fields {
  const { place, isMoved } = adoption;
  const values = takenValues(adoption);
  return { ...(isMoved ? place : {}), ...(Object.keys(values).length > 0 ? { values } : {}) };
}

/** Those that the release has and the Package is to have. */
function takenValues({ hasValues, live }: Adoption): LiveRelease['values'] {
  return live === undefined || live.owner !== undefined || hasValues ? {} : live.values;
}

/** The Package with the keys alone of values that were taken from a release, which keeps them in a Secret. */
export function withoutTakenValues(pkg: KubeObject, adoptions: readonly Adoption[]): KubeObject {
  const spec = recordOf(pkg['spec']);
  const hidden = Object.entries(recordOf(spec['components'])).map(([name, component]) => {
    const isTaken = adoptions.some((one) => one.component === name && Object.keys(takenValues(one)).length > 0);
    const values = at(component, 'values') as JsonValue;
    return [
      name,
      isTaken && isJsonObject(values) ? { ...recordOf(component), values: maskValues(values, undefined) } : component,
    ];
  });
  return hidden.length === 0 ? pkg : { ...pkg, spec: { ...spec, components: Object.fromEntries(hidden) as unknown } };
}

/** Values may hold secrets: only their keys are shown. */
export function adoptionTable(adoptions: readonly Adoption[]): readonly string[] {
  const header = ['COMPONENT', 'RELEASE', 'FOUND', 'USER VALUES'];
  return formatTable(
    header,
    adoptions.map((adoption) =>
      [adoption.component, keyOf(adoption), foundText(adoption), valuesText(adoption)].map(oneLine),
    ),
  );
}

function foundText({ live }: Adoption): string {
  if (live === undefined) return 'no release: objects that exist are taken over';
  const chart = `${live.chartName}-${live.chartVersion}`;
  if (live.owner !== undefined) return `${chart}, of this package already`;
  return `${chart}, revision ${String(live.revision)}, ${live.status}`;
}

function valuesText({ live, hasValues }: Adoption): string {
  if (hasValues) return 'those of the Package';
  const keys = Object.keys(live?.values ?? {});
  return live === undefined || keys.length === 0 ? '-' : keys.join(', ');
}

function keyOf({ place }: Pick<Adoption, 'place'>): string {
  return `${place.namespace}/${place.releaseName}`;
}

function recordOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
