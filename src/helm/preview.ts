import { isCode, KubepkgError } from '../api/errors.ts';
import type { KubeObject, ObjectRef } from '../api/kube.ts';
import { asString, at, isRecord, type JsonValue } from '../lib/json.ts';
import { parseYamlDocuments, YamlError } from '../lib/yaml.ts';
import type { DesiredRelease } from '../ports/backend.ts';
import { explainFailure } from './explain-failure.ts';
import { inventoryHead } from './interpret.ts';
import type { ChartTools } from './tools.ts';
import { type RenderMode, translatePreview } from './helm-call.ts';

const MAX_MANIFEST_BYTES = 64 * 1024 * 1024;

export interface RenderOptions extends RenderMode {
  readonly signal?: AbortSignal;
}

export async function previewObjects(release: DesiredRelease, tools: ChartTools): Promise<readonly KubeObject[]> {
  if (!release.skipSchemaValidation) await tools.schemas.refuseRemote(release.chart);
  return placedObjects(await renderManifest(release, tools), release, tools);
}

/** The objects of a manifest, in the namespaces where helm would put them. */
export async function placedObjects(
  manifest: string,
  release: DesiredRelease,
  tools: ChartTools,
): Promise<readonly KubeObject[]> {
  const items = objectsIn(manifest, release).map((object) => ({ object, ref: refIn(object) }));
  const placed = await tools.store.placed(items, release.namespace);
  return placed.map(({ object, ref }) => ({ ...object, metadata: { ...object.metadata, ...namespaceOf(ref) } }));
}

/**
 * Rendered against the API server, so that lookups and capabilities are its own; against none when the chart uses
 * kinds that an earlier component of the plan is yet to bring.
 */
export async function renderManifest(release: DesiredRelease, tools: ChartTools): Promise<string> {
  const isUpgrade = inventoryHead(await tools.store.heads(release)) !== undefined;
  return renderOnServerFirst(release, { isUpgrade, takesOwnership: release.adopt }, tools);
}

/** Where it cannot be rendered without the API server either, the first error is the one that can go away. */
export async function renderOnServerFirst(
  release: DesiredRelease,
  mode: Omit<RenderOptions, 'onServer'>,
  tools: ChartTools,
): Promise<string> {
  try {
    return await render(release, { ...mode, onServer: true }, tools);
  } catch (error) {
    if (!isCode(error, 'KindNotServed')) throw error;
    return render(release, { ...mode, onServer: false }, tools).catch((offline: unknown) => {
      throw isCode(offline, 'RenderFailed', 'ChartInvalid') ? error : offline;
    });
  }
}

/** The other way round, for a chart that brings the kinds itself: they are not there yet. */
export async function renderOfflineFirst(
  release: DesiredRelease,
  mode: Omit<RenderOptions, 'onServer'>,
  tools: ChartTools,
): Promise<string> {
  try {
    return await render(release, { ...mode, onServer: false }, tools);
  } catch (error) {
    if (!isCode(error, 'RenderFailed', 'ChartInvalid')) throw error;
    return render(release, { ...mode, onServer: true }, tools);
  }
}

export async function render(
  release: DesiredRelease,
  { signal, ...mode }: RenderOptions,
  tools: ChartTools,
): Promise<string> {
  const version = await tools.program.version();
  const call = translatePreview(release, { ...mode, version });
  const stop = signal === undefined ? {} : { signal };
  const result = await tools.program.run(call, { maxOutputBytes: MAX_MANIFEST_BYTES, ...stop });
  if (result.exitCode === 0) return result.stdout;
  throw await explainFailure(release, { result, aborted: signal?.aborted ?? false }, tools);
}

function objectsIn(manifest: string, release: DesiredRelease): readonly KubeObject[] {
  try {
    return parseYamlDocuments(manifest, 'manifest').flatMap((document) => flatten(document));
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const name = `${release.namespace}/${release.releaseName}`;
    throw new KubepkgError('RenderFailed', `release ${name} renders to YAML that cannot be read: ${error.message}`);
  }
}

function flatten(document: JsonValue): readonly KubeObject[] {
  if (!isRecord(document)) return [];
  const items = document['items'];
  if (asString(document['kind'])?.endsWith('List') === true && Array.isArray(items)) {
    return items.flatMap((item: JsonValue) => flatten(item));
  }
  return isObject(document) ? [document] : [];
}

function isObject(value: unknown): value is KubeObject {
  return [at(value, 'apiVersion'), at(value, 'kind'), at(value, 'metadata', 'name')].every(
    (part) => asString(part) !== undefined,
  );
}

function refIn({ apiVersion, kind, metadata }: KubeObject): ObjectRef {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, ...(namespace === undefined ? {} : { namespace }) };
}

function namespaceOf(ref: ObjectRef): { readonly namespace?: string } {
  return ref.namespace === undefined ? {} : { namespace: ref.namespace };
}
