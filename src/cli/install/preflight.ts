import { KubepkgError } from '../../api/errors.ts';
import { DEFAULT_BACKEND } from '../../compose/backend-names.ts';
import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import type { Package } from '../../api/package.ts';
import type { PackageSource, SourceVariant } from '../../api/package-source.ts';
import { type Parsed, parsePackage, parsePackageSource } from '../../api/parse.ts';
import { resolvePackage } from '../../domain/resolve/resolve-package.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { at, isRecord } from '../../lib/json.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, REPOSITORIES } from '../objects.ts';

/** The source of a package in the cluster; undefined when a repository may still deliver one. `given`: names to suggest too. */
export async function findSource(
  cluster: Cluster,
  name: string,
  given: readonly KubeObject[],
): Promise<KubeObject | undefined> {
  const source = await cluster.read({ ...PACKAGE_SOURCES, name });
  if (source !== undefined) return source;
  if ((await cluster.list(REPOSITORIES)).items.length > 0) return undefined;
  const existing = (await cluster.list(PACKAGE_SOURCES)).items.map(({ metadata }) => metadata.name);
  throw sourceNotFound(name, [...given.map(({ metadata }) => metadata.name), ...existing]);
}

function sourceNotFound(name: string, existing: readonly string[]): KubepkgError {
  const offer = existing.length === 0 ? '' : ` (there are ${existing.slice(0, 10).join(', ')})`;
  return new KubepkgError('NotFound', `no PackageSource is named ${name}`, {
    hint: didYouMeanHint(name, existing, `give it with the package: kubepkg install ${name} -f FILE${offer}`),
  });
}

/** Fails before anything is written when a package, as it will be, cannot be carried out with this source (P2). */
export function checkAgainstSource(wanted: KubeObject, sourceObject: KubeObject, given: KubeObject): void {
  const pkg = requireParsed(parsePackage(wanted));
  const source = requireParsed(parsePackageSource(sourceObject));
  // The operator takes another version from a repository when this one does not fit.
  if (source.metadata.labels?.[LABEL.repository] !== undefined) return;
  const variant = requireVariant(pkg, source);
  requireComponents(given, variant);
  const resolution = resolvePackage(pkg, source, { defaultBackend: DEFAULT_BACKEND });
  if (resolution.kind === 'resolved') return;
  throw new KubepkgError('InvalidConfiguration', `package ${pkg.metadata.name}: ${resolution.message}`, {
    hint: remedyOf(resolution.reason, { source, variant }),
  });
}

function remedyOf(
  reason: string,
  { source, variant }: { readonly source: PackageSource; readonly variant: SourceVariant },
): string {
  if (reason === 'VersionMismatch') return 'install another version of the source with -f, or change the constraint';
  // A source as `build` makes it without a registry is of charts that nobody else can fetch.
  const isUnpushed = source.spec.sourceRef === undefined && variant.components?.some(({ path }) => path !== undefined);
  if (isUnpushed === true) return 'build it with --registry, which pushes the charts, and take the file that it makes';
  return 'correct the Package or its PackageSource';
}

function requireParsed<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  throw parsed.error;
}

function requireVariant(pkg: Package, source: PackageSource): SourceVariant {
  const variants = source.spec.variants ?? [];
  const found = variants.find(({ name }) => name === pkg.spec.variant);
  if (found !== undefined) return found;
  const names = variants.map(({ name }) => name);
  const offer = names.length === 0 ? 'the source has no variants' : `choose one with --variant: ${names.join(', ')}`;
  throw new KubepkgError('InvalidInput', `package ${pkg.metadata.name} has no variant ${pkg.spec.variant}`, {
    hint: didYouMeanHint(pkg.spec.variant, names, offer),
  });
}

/** The operator ignores what it does not know; somebody who is just writing it can still correct it. */
function requireComponents(given: KubeObject, variant: SourceVariant): void {
  const names = (variant.components ?? []).map(({ name }) => name);
  const components = at(given, 'spec', 'components');
  const unknown = Object.keys(isRecord(components) ? components : {}).find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new KubepkgError(
    'InvalidInput',
    `package ${given.metadata.name} has no component ${unknown} in variant ${variant.name}`,
    {
      hint: didYouMeanHint(unknown, names, `its components are ${names.join(', ')}`),
    },
  );
}
