import type { ChartRef } from '../../api/chart-ref.ts';
import type { Package } from '../../api/package.ts';
import type { PackageSource, SourceComponent, SourceVariant } from '../../api/package-source.ts';
import type { JsonObject } from '../../lib/json.ts';
import { OCI_REFERENCE_FORM, readOciReference } from '../../lib/oci-reference.ts';
import { type DesiredComponent, type Unresolvable, unresolvable } from './desired.ts';
import { withPlatformValues } from './platform-values.ts';

/** Helm's limit on a release name, which Kubernetes' own 63 and its suffixes leave. */
const MAX_RELEASE_NAME = 53;
const DNS_LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const RELEASE_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export interface ComponentContext {
  readonly pkg: Package;
  readonly source: PackageSource;
  readonly variant: SourceVariant;
  /** Values that go under those of every component. */
  readonly platform: JsonObject | undefined;
}

/** A component that the variant installs, placed and with its values; or why not. */
export function resolveComponent(
  component: SourceComponent,
  context: ComponentContext,
): DesiredComponent | Unresolvable {
  const override = context.pkg.spec.components?.[component.name] ?? {};
  const placement = placementOf(component, override);
  const misplaced = checkPlacement(component.name, placement);
  if (misplaced !== undefined) return misplaced;
  const chart = chartRefOf(component, context);
  if (chart.kind === 'unresolvable') return chart;
  return {
    name: component.name,
    ...placement,
    chart,
    ...withPlatformValues(override.values ?? {}, context.platform),
    ...declarationsOf(component.install ?? {}),
  };
}

interface Placement {
  readonly releaseName: string;
  readonly namespace: string;
}

type Override = NonNullable<Package['spec']['components']>[string];
type Install = NonNullable<SourceComponent['install']>;

function placementOf({ name, install }: SourceComponent, override: Override): Placement {
  return {
    releaseName: override.releaseName ?? install?.releaseName ?? name,
    namespace: override.namespace ?? install?.namespace ?? '',
  };
}

type Declarations = Omit<DesiredComponent, 'name' | 'releaseName' | 'namespace' | 'chart' | 'values' | 'platformKeys'>;

function declarationsOf(install: Install): Declarations {
  return {
    ...deliveryOf(install),
    ...readinessOf(install),
    dependsOn: install.dependsOn ?? [],
    hook: install.phase === 'PreUpgrade',
  };
}

function readinessOf(
  install: Install,
): Pick<Declarations, 'readyWhen' | 'healthCheckExprs' | 'waitStrategy' | 'readiness'> {
  return {
    readyWhen: install.readyWhen ?? [],
    healthCheckExprs: install.healthCheckExprs ?? [],
    ...(install.waitStrategy === undefined ? {} : { waitStrategy: install.waitStrategy }),
    readiness: install.readiness ?? {},
  };
}

function deliveryOf(
  install: Install,
): Pick<Declarations, 'privileged' | 'upgradeCRDs' | 'recreate' | 'skipSchemaValidation'> {
  return {
    privileged: install.privileged ?? false,
    upgradeCRDs: install.upgradeCRDs ?? 'Skip',
    recreate: install.recreate ?? 'FinishedJobs',
    skipSchemaValidation: install.skipSchemaValidation ?? false,
  };
}

function checkPlacement(component: string, { releaseName, namespace }: Placement): Unresolvable | undefined {
  if (namespace === '') {
    return invalid(`component ${component} has no namespace; set install.namespace in the PackageSource`);
  }
  if (namespace.length > 63 || !DNS_LABEL.test(namespace)) {
    return invalid(`component ${component}: namespace "${namespace}" is not a valid namespace name`);
  }
  if (releaseName.length > MAX_RELEASE_NAME) {
    return invalid(
      `component ${component}: release name "${releaseName}" has ${String(releaseName.length)} characters, ` +
        `Helm allows ${String(MAX_RELEASE_NAME)}; set a shorter install.releaseName`,
    );
  }
  if (!RELEASE_NAME.test(releaseName)) {
    return invalid(
      `component ${component}: "${releaseName}" is not a valid release name (lower case letters, digits, "-" and ".")`,
    );
  }
  return undefined;
}

function chartRefOf(component: SourceComponent, context: ComponentContext): ChartRef | Unresolvable {
  const { chart, path } = component;
  if (chart !== undefined) return { kind: 'chart', ...chart };
  if (path === undefined) return invalid(`component ${component.name} has neither path nor chart`);
  const tree = treeOf(component.name, path, context.source);
  if ('kind' in tree) return tree;
  const libraries = librariesOf(component, context.variant);
  if ('kind' in libraries) return libraries;
  return { kind: 'tree', ...tree, path, libraries, valuesFiles: component.valuesFiles ?? [] };
}

function treeOf(
  component: string,
  path: string,
  { spec: { sourceRef } }: PackageSource,
): { readonly url: string; readonly root: string } | Unresolvable {
  if (sourceRef?.kind !== 'OCIArtifact' || sourceRef.url === undefined) {
    const found = sourceRef === undefined ? 'there is none' : `it is a ${sourceRef.kind}`;
    return invalid(
      `component ${component} is at path ${path} of a package tree, which needs spec.sourceRef of kind OCIArtifact with a url; ${found}`,
    );
  }
  const reference = readOciReference(sourceRef.url);
  // What it is fetched by is not repeated: it may hold a password.
  if (!('problem' in reference)) return { url: sourceRef.url, root: sourceRef.path ?? '' };
  return invalid(`spec.sourceRef.url is malformed: ${reference.problem}; write ${OCI_REFERENCE_FORM}`);
}

function librariesOf(
  component: SourceComponent,
  variant: SourceVariant,
): readonly { readonly name: string; readonly path: string }[] | Unresolvable {
  const known = (variant.libraries ?? []).map((library) => ({
    name: library.name ?? library.path.slice(library.path.lastIndexOf('/') + 1),
    path: library.path,
  }));
  const wanted = component.libraries ?? [];
  const missing = wanted.find((name) => !known.some((library) => library.name === name));
  if (missing !== undefined) {
    const names = known.map((library) => library.name).join(', ');
    return invalid(
      `component ${component.name} uses library ${missing}, which variant ${variant.name} does not list (${names})`,
    );
  }
  return known.filter((library) => wanted.includes(library.name));
}

function invalid(message: string): Unresolvable {
  return unresolvable('InvalidConfiguration', message);
}
