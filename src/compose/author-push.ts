import { join } from 'node:path';
import type { ArchiveFile } from '../adapters/oci/archive.ts';
import { parseChartFile } from '../adapters/oci/chart-inspection.ts';
import { CHART_LAYER } from '../adapters/oci/oci-chart.ts';
import { publishedAlready, pushArtifact } from '../adapters/oci/push-artifact.ts';
import { pushTree } from '../adapters/oci/push-tree.ts';
import { ociReferenceOf } from '../adapters/oci/reference.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import type { Recipe } from '../api/recipe.ts';
import { buildTag, needsTree, type Publication, type PublishedChart } from '../domain/resolve/recipe/recipe-source.ts';
import { asString, at } from '../lib/json.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import { writeFolder } from './author-files.ts';
import type { AuthorPlace, AuthorSettings, Workshop } from './author-workshop.ts';

const CHART_CONFIG = 'application/vnd.cncf.helm.config.v1+json';
const REMEDY = 'raise spec.build of the recipe: what was published stays as it is';

/** What was built of a recipe, and where it goes. */
export interface Publishing {
  readonly recipe: Recipe;
  /** `oci://host/path`. */
  readonly registry: string;
  /** All charts as one tree. */
  readonly files: readonly ArchiveFile[];
  /** By name. */
  readonly charts: ReadonlyMap<string, FetchedChart>;
  readonly workshop: Workshop;
  readonly place: AuthorPlace;
  readonly settings: AuthorSettings;
}

/** Publishes the charts of a recipe, each by itself where that is possible. */
export function publish(publishing: Publishing): Promise<Publication> {
  return needsTree(publishing.recipe.spec.package) ? publishTree(publishing) : publishCharts(publishing);
}

/** As `helm push` does, so that helm, Flux and Argo CD can install them without kubepkg. Nothing is pushed where one cannot be. */
async function publishCharts(publishing: Publishing): Promise<Publication> {
  const { registry, recipe, workshop, charts } = publishing;
  const repository = `${withoutSlash(registry)}/${recipe.metadata.name}`;
  const missing: (readonly [PublishedChart, FetchedChart])[] = [];
  const published = new Map<string, PublishedChart>();
  for (const [name, chart] of charts) {
    const ref = { repository, name, version: chart.version, digest: chart.digest };
    published.set(name, ref);
    const known = await publishedAlready(workshop.client.registry, referenceOf(ref), {
      digest: chart.digest,
      remedy: REMEDY,
    });
    if (known === undefined) missing.push([ref, chart]);
  }
  for (const [ref, chart] of missing) await pushChart(ref, chart, publishing);
  return { kind: 'charts', charts: published };
}

async function pushChart(ref: PublishedChart, chart: FetchedChart, { files, workshop }: Publishing): Promise<void> {
  const file = files.find(({ path }) => path === `${ref.name}/Chart.yaml`);
  const metadata = parseChartFile(file?.content ?? Buffer.of(), `chart ${ref.name}: Chart.yaml`);
  const description = asString(at(metadata, 'description'));
  await pushArtifact(workshop.client.registry, referenceOf(ref), {
    layer: { mediaType: CHART_LAYER, digest: chart.digest, size: chart.sizeBytes },
    path: chart.path,
    config: { mediaType: CHART_CONFIG, bytes: Buffer.from(JSON.stringify(metadata)) },
    annotations: {
      'org.opencontainers.image.title': ref.name,
      'org.opencontainers.image.version': ref.version,
      ...(description === undefined ? {} : { 'org.opencontainers.image.description': description }),
    },
  });
}

function referenceOf(ref: PublishedChart): ReturnType<typeof ociReferenceOf> {
  return ociReferenceOf({ kind: 'chart', ...ref });
}

async function publishTree({ recipe, registry, ...publishing }: Publishing): Promise<Publication> {
  const { workshop, place, settings, files } = publishing;
  const url = `${withoutSlash(registry)}/${recipe.metadata.name}:${buildTag(recipe.spec)}`;
  const { registryConfig, registryCaFile: caFile, plainHttp } = settings;
  const commands = createCommandRunner({ clock: place.clock });
  const folder = join(workshop.scratch, 'pushed');
  await writeFolder(folder, { files });
  const options = { registryConfig, caFile, plainHttp, commands, env: place.env, otherwise: REMEDY };
  const { reference } = await pushTree(folder, url, options);
  return { kind: 'tree', url: reference };
}

function withoutSlash(registry: string): string {
  return registry.replace(/\/+$/, '');
}
