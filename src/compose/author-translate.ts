import { asKubepkgError, describeError, KubepkgError } from '../api/errors.ts';
import type { Package } from '../api/package.ts';
import type { PackageSource } from '../api/package-source.ts';
import { DEFAULT_TIMEOUT } from '../api/package.ts';
import type { DesiredComponent, DesiredPackage } from '../domain/resolve/desired.ts';
import { lossesOf } from '../domain/resolve/recipe/losses.ts';
import { documents } from '../domain/resolve/recipe/wrap-manifests.ts';
import { resolvePackage } from '../domain/resolve/resolve-package.ts';
import { type ChartLocator, createChartLocator } from '../helm/chart-location.ts';
import { parseDuration } from '../lib/duration.ts';
import { writeYaml } from '../lib/yaml.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { argoObject, fluxObjects, helmfileOf, namespacesOf, type Placed } from './author-gitops.ts';
import { placedTexts, type RenderedComponent } from './author-manifests.ts';
import { firstRelease, renderOffline } from './author-render.ts';
import { type AuthorPlace, type AuthorSettings, withWorkshop, type Workshop } from './author-workshop.ts';
import { DEFAULT_BACKEND } from './backend-names.ts';
import type { RenderFormat } from './render-formats.ts';

export interface RenderRequest {
  /** In the order in which they are rendered. */
  readonly packages: readonly { readonly package: Package; readonly source: PackageSource }[];
  readonly format: RenderFormat;
  readonly argoNamespace: string;
  readonly argoProject: string;
}

export interface RenderedPackage {
  readonly name: string;
  readonly version: string;
  /** YAML of all of it. */
  readonly text: string;
  /** What the package says and this does not do. */
  readonly losses: readonly string[];
}

/** Packages as objects that need no operator; no cluster is asked for anything. */
export function renderPackages(
  request: RenderRequest,
  place: AuthorPlace,
  settings: AuthorSettings,
): Promise<readonly RenderedPackage[]> {
  return withWorkshop(place, settings, async (workshop) => {
    const rendered: RenderedPackage[] = [];
    for (const each of request.packages) {
      const resolution = resolvePackage(each.package, each.source, { defaultBackend: DEFAULT_BACKEND });
      if (resolution.kind === 'unresolvable') {
        const message = `package ${each.package.metadata.name}: ${resolution.message}`;
        throw new KubepkgError('InvalidConfiguration', message, {
          hint: 'correct the package or its source; build --registry pushes a tree and names it',
        });
      }
      const { desired } = resolution;
      const text = await textOf(desired, each.package, { request, workshop });
      rendered.push({ name: desired.package, version: desired.version, text, losses: lossesOf(desired) });
    }
    return rendered;
  });
}

interface Rendering {
  readonly request: RenderRequest;
  readonly workshop: Workshop;
}

async function textOf(desired: DesiredPackage, pkg: Package, { request, workshop }: Rendering): Promise<string> {
  const { format, argoNamespace: namespace, argoProject: project } = request;
  const namespaces = documents(namespacesOf(desired.components));
  if (format === 'manifests') return [namespaces, ...(await manifests(desired, pkg, workshop))].join('');
  const placed = await placedOf(desired, pkg, { request, workshop });
  if (format === 'helmfile') return `---\n${writeYaml(helmfileOf(placed))}`;
  const objects = placed.map((each) =>
    format === 'flux' ? fluxObjects(each) : [argoObject(each, { namespace, project })],
  );
  return [namespaces, ...objects.map((each, index) => heading(desired, index) + documents(each))].join('');
}

function heading(desired: DesiredPackage, index: number): string {
  const { name = '', namespace = '', releaseName = '' } = desired.components[index] ?? {};
  const { package: pkg, version } = desired;
  return `# package ${pkg} ${version}, component ${name}: release ${releaseName} in namespace ${namespace}\n`;
}

async function manifests(desired: DesiredPackage, pkg: Package, workshop: Workshop): Promise<readonly string[]> {
  const rendered: RenderedComponent[] = [];
  for (const component of desired.components) {
    const release = await releaseOf(desired, pkg, { component, workshop });
    rendered.push({ component, text: await renderOffline(release, { withCrds: true, withHooks: true }, workshop) });
  }
  return placedTexts(rendered).flatMap((text, index) => [heading(desired, index), text]);
}

async function releaseOf(
  desired: DesiredPackage,
  pkg: Package,
  { component, workshop }: { readonly component: DesiredComponent; readonly workshop: Workshop },
) {
  const chart = await fetchChart(component, workshop);
  const timeoutMs = parseDuration(pkg.spec.upgrade?.timeout ?? DEFAULT_TIMEOUT) ?? 0;
  return firstRelease(desired.package, component, { chart, timeoutMs });
}

async function fetchChart({ name, chart }: DesiredComponent, { artifacts }: Workshop): Promise<FetchedChart> {
  try {
    return await artifacts.fetch(chart);
  } catch (thrown) {
    const { code, message, hint } = asKubepkgError(thrown);
    throw new KubepkgError(code, `component ${name}: ${message}`, {
      ...(hint === undefined ? {} : { hint }),
      cause: thrown,
    });
  }
}

async function placedOf(
  desired: DesiredPackage,
  pkg: Package,
  { request, workshop }: Rendering,
): Promise<readonly Placed[]> {
  const locator = createChartLocator({
    manifestDigest: (ref, signal) => workshop.artifacts.manifestDigest(ref, signal),
  });
  const placed: Placed[] = [];
  for (const [index, component] of desired.components.entries()) {
    refuseTree(component, request.format);
    const release = await releaseOf(desired, pkg, { component, workshop });
    const location = await locate(locator, component, release.chart);
    const after = desired.components
      .filter(({ name }) => component.dependsOn.includes(name))
      .map(({ releaseName: name, namespace }) => ({ name, namespace }));
    placed.push({ component, release, location, after, index });
  }
  return placed;
}

function refuseTree({ name, chart }: DesiredComponent, format: RenderFormat): void {
  if (chart.kind === 'chart') return;
  const message = `component ${name}: its chart is in a package tree, where ${format} cannot get it`;
  throw new KubepkgError('Unsupported', message, {
    hint: 'publish the chart by itself and name it by chart, or render --format manifests',
  });
}

async function locate(locator: ChartLocator, { name }: DesiredComponent, chart: FetchedChart) {
  try {
    return await locator.locate(chart, new AbortController().signal);
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    throw new KubepkgError(error.code, `component ${name}: ${describeError(error)}`, { cause: thrown });
  }
}
