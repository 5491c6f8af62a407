import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { ANNOTATION, API_VERSION } from '../../api/names.ts';
import { isRecord, type JsonObject } from '../../lib/json.ts';
import type { Manifests } from './manifest-files.ts';
import type { PackageArgument } from './package-argument.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What the command line says about one package. */
export interface PackageSettings {
  readonly constraint?: string | undefined;
  readonly variant?: string | undefined;
  /** `spec.upgrade.timeout`. */
  readonly timeout?: string | undefined;
  /** Complete values by component name. */
  readonly values: Readonly<Record<string, JsonObject>>;
  /** Why it is installed although nobody asked for it, for those who tidy up later. */
  readonly dependency?: string | undefined;
}

/** Names of all packages to install, those of the command line first. */
export function namesToInstall(packageArguments: readonly PackageArgument[], manifests: Manifests): readonly string[] {
  const names = [
    ...packageArguments.map(({ name }) => name),
    ...manifests.packages.map(({ metadata }) => metadata.name),
  ];
  if (names.length > 0) return [...new Set(names)];
  const offered = manifests.sources.map(({ metadata }) => metadata.name);
  throw new KubepkgError('InvalidInput', 'no package is named', {
    hint:
      offered.length === 0
        ? 'name a package: kubepkg install NAME'
        : `name a package: kubepkg install ${offered.join(' ')} …`,
  });
}

/** The object to apply: what was applied before or is in the file, and the settings of the command line over it. */
export function packageToApply(name: string, base: Fields, settings: PackageSettings): KubeObject {
  const spec = overlaySpec(record(base['spec']), settings);
  const { name: _name, ...metadata } = record(base['metadata']);
  const annotations = markedWith(settings.dependency, record(metadata['annotations']));
  return { apiVersion: API_VERSION, kind: 'Package', metadata: { name, ...metadata, ...annotations }, spec };
}

function markedWith(
  dependency: string | undefined,
  before: Fields,
): { readonly annotations?: Readonly<Record<string, string>> } {
  if (dependency === undefined) return {};
  const annotations: Record<string, string> = { [ANNOTATION.dependency]: dependency };
  for (const [key, value] of Object.entries(before)) if (typeof value === 'string') annotations[key] ??= value;
  return { annotations };
}

/** What was applied before, without the mark: who asks for a package wants it for itself. */
export function askedFor(applied: Fields): Fields {
  const metadata = record(applied['metadata']);
  if (!isRecord(metadata['annotations'])) return applied;
  const { [ANNOTATION.dependency]: _mark, ...annotations } = metadata['annotations'];
  return { ...applied, metadata: { ...metadata, annotations } };
}

function overlaySpec(spec: Fields, { constraint, variant, timeout, values }: PackageSettings): Fields {
  return {
    ...spec,
    ...(constraint === undefined ? {} : { version: constraint }),
    ...(variant === undefined ? {} : { variant }),
    ...(timeout === undefined ? {} : { upgrade: { ...record(spec['upgrade']), timeout } }),
    ...(Object.keys(values).length === 0 ? {} : { components: overlayValues(record(spec['components']), values) }),
  };
}

/** A values file is complete: it replaces what was there. */
function overlayValues(components: Fields, values: Readonly<Record<string, JsonObject>>): Fields {
  const overlaid: Record<string, unknown> = { ...components };
  for (const [name, value] of Object.entries(values)) overlaid[name] = { ...record(components[name]), values: value };
  return overlaid;
}

function record(value: unknown): Fields {
  return isRecord(value) ? value : {};
}
