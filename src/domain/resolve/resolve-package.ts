import type { Package } from '../../api/package.ts';
import { type PackageSource, type SourceVariant, UNVERSIONED } from '../../api/package-source.ts';
import { ANNOTATION } from '../../api/names.ts';
import { digestOf } from '../../lib/digest.ts';
import { orderGraph } from '../../lib/graph.ts';
import type { JsonObject } from '../../lib/json.ts';
import {
  type DesiredComponent,
  type DesiredPackage,
  type Resolution,
  type Unresolvable,
  desiredDigest,
  unresolvable,
} from './desired.ts';
import { type ComponentContext, resolveComponent } from './resolve-component.ts';
import { platformValuesOf } from './platform-values.ts';
import { findUnreadable, requirementsOf } from './requirements.ts';
import { findInvalidExpression } from './check-expressions.ts';
import { checkVersion } from './check-version.ts';

/** Without its digests. */
type Unsealed = Omit<DesiredPackage, 'core' | 'digest'>;

export interface ResolveOptions {
  /** Of packages that name none. */
  readonly defaultBackend: string;
  /** Values of the installation's owner, under those of every component. */
  readonly platformValues?: JsonObject | undefined;
}

/** What a Package and its source ask for, complete and ordered; or the first thing that stands against it. */
export function resolvePackage(
  pkg: Package,
  source: PackageSource,
  { defaultBackend, platformValues }: ResolveOptions,
): Resolution {
  const mismatch = checkVersion(pkg.spec.version, versionOf(source));
  if (mismatch !== undefined) return mismatch;
  const variant = findVariant(pkg, source);
  if ('kind' in variant) return variant;
  const platform = platformValuesOf(source, platformValues);
  const resolved = resolveComponents({ pkg, source, variant, platform });
  if ('kind' in resolved) return resolved;
  const ordered = orderComponents(resolved);
  if ('kind' in ordered) return ordered;
  const desired = assemble({ pkg, source, variant, platform }, ordered, defaultBackend);
  const core = coreDigest(desired);
  const retry = pkg.metadata.annotations?.[ANNOTATION.retry];
  return (
    findInvalidExpression(desired) ??
    findUnreadable(desired.requires) ??
    findOversize(desired) ?? { kind: 'resolved', desired: { ...desired, core, digest: desiredDigest(core, retry) } }
  );
}

function versionOf(source: PackageSource): string {
  return source.spec.version ?? UNVERSIONED;
}

function assemble(
  { pkg, source, variant }: ComponentContext,
  ordered: readonly DesiredComponent[],
  defaultBackend: string,
): Unsealed {
  return {
    package: pkg.metadata.name,
    version: versionOf(source),
    build: source.spec.build,
    variant: variant.name,
    rollbackSafe: source.spec.rollback?.safe ?? false,
    backend: pkg.spec.backend ?? defaultBackend,
    components: ordered.filter((component) => !component.hook),
    hooks: ordered.filter((component) => component.hook),
    requires: requirementsOf(pkg, variant),
    crds: source.spec.crds ?? [],
    isHalfWritten: isHalfWritten(pkg, source),
    notes: notesOf(pkg, variant),
  };
}

/** A version never runs with the values of another one because the two objects are written one after the other. */
function isHalfWritten({ metadata }: Package, source: PackageSource): boolean {
  const [uid, generation] = (source.metadata.annotations?.[ANNOTATION.awaitsGeneration] ?? '').split('/');
  return uid === (metadata.uid ?? '') && (metadata.generation ?? 0) < Number(generation);
}

function findVariant(pkg: Package, source: PackageSource): SourceVariant | Unresolvable {
  const variants = source.spec.variants ?? [];
  const found = variants.find((variant) => variant.name === pkg.spec.variant);
  if (found !== undefined) return found;
  const names = variants.map((variant) => variant.name).join(', ');
  const offer = names === '' ? 'the source has no variants' : `the source has ${names}`;
  return unresolvable(
    'VariantNotFound',
    `variant ${pkg.spec.variant} not found in PackageSource ${pkg.metadata.name}: ${offer}`,
  );
}

function resolveComponents(context: ComponentContext): readonly DesiredComponent[] | Unresolvable {
  const components: DesiredComponent[] = [];
  for (const component of context.variant.components ?? []) {
    if (component.install === undefined) continue;
    if (context.pkg.spec.components?.[component.name]?.enabled === false) continue;
    const resolved = resolveComponent(component, context);
    if ('kind' in resolved) return resolved;
    components.push(resolved);
  }
  return findCollision(components) ?? findDisabledDependency(components, context.variant) ?? components;
}

function findCollision(components: readonly DesiredComponent[]): Unresolvable | undefined {
  const byName = new Map<string, DesiredComponent>();
  const byRelease = new Map<string, DesiredComponent>();
  for (const component of components) {
    if (byName.has(component.name)) return invalid(`two components are named ${component.name}`);
    byName.set(component.name, component);
    const release = `${component.namespace}/${component.releaseName}`;
    const other = byRelease.get(release);
    if (other !== undefined)
      return invalid(`components ${other.name} and ${component.name} both want release ${release}`);
    byRelease.set(release, component);
  }
  return undefined;
}

function findDisabledDependency(
  components: readonly DesiredComponent[],
  variant: SourceVariant,
): Unresolvable | undefined {
  const declared = new Set((variant.components ?? []).map((component) => component.name));
  const installed = new Map(components.map((component) => [component.name, component]));
  for (const component of components) {
    for (const dependency of component.dependsOn) {
      const target = installed.get(dependency);
      if (target === undefined) {
        const why = declared.has(dependency) ? 'which is disabled' : 'which does not exist';
        return invalid(`component ${component.name} depends on ${dependency}, ${why}`);
      }
      if (target.hook && !component.hook) {
        return invalid(
          `component ${component.name} depends on ${dependency}, which is a hook; only hooks may depend on hooks`,
        );
      }
    }
  }
  return undefined;
}

function orderComponents(components: readonly DesiredComponent[]): readonly DesiredComponent[] | Unresolvable {
  const ordering = orderGraph(components);
  if (ordering.kind === 'cycle')
    return invalid(`components depend on each other in a circle: ${ordering.chain.join(' → ')}`);
  if (ordering.kind === 'unknown') {
    return invalid(`component ${ordering.node} depends on ${ordering.dependency}, which does not exist`);
  }
  const byName = new Map(components.map((component) => [component.name, component]));
  return ordering.order.flatMap((name) => byName.get(name) ?? []);
}

function notesOf(pkg: Package, variant: SourceVariant): readonly string[] {
  const names = new Set((variant.components ?? []).map((component) => component.name));
  return Object.keys(pkg.spec.components ?? {})
    .filter((name) => !names.has(name))
    .map(
      (name) =>
        `spec.components.${name} names a component that variant ${variant.name} does not have; it has no effect`,
    );
}

/** The values of a revision are kept in one Secret, which holds 1 MiB; characters may take more than one byte. */
const MOST_VALUES = 700_000;

function findOversize({ hooks, components }: Unsealed): Unresolvable | undefined {
  const sizes = [...hooks, ...components].map(({ name, values }) => ({ name, size: JSON.stringify(values).length }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  if (total <= MOST_VALUES) return undefined;
  const biggest = sizes.reduce((most, each) => (each.size > most.size ? each : most));
  return invalid(
    `the values of all components have ${String(Math.ceil(total / 1024))} KiB together, of which component ${biggest.name} has ` +
      `${String(Math.ceil(biggest.size / 1024))} KiB; at most ${String(Math.floor(MOST_VALUES / 1024))} KiB can be kept: put large content into the chart or a ConfigMap`,
  );
}

/** What changes the cluster when it changes; limits, timeouts and suspension are applied live and are not in here. */
function coreDigest(desired: Unsealed): string {
  const effective = (component: DesiredComponent): unknown => ({ ...component, dependsOn: undefined });
  return digestOf({
    version: desired.version,
    build: desired.build,
    variant: desired.variant,
    backend: desired.backend,
    components: desired.components.map(effective),
    hooks: desired.hooks.map(effective),
  });
}

function invalid(message: string): Unresolvable {
  return unresolvable('InvalidConfiguration', message);
}
