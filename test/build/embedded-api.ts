import { createEmbeddedApi, type EmbeddedApiOptions } from '../../src/embedded/api/index.ts';
import { builtInResources } from '../../src/embedded/kinds/index.ts';
import type { EmbeddedApi, StoreEvent, Target, WatchOptions } from '../../src/embedded/model/api.ts';
import type { JsonMap } from '../../src/embedded/model/object.ts';
import type { SubresourceName } from '../../src/embedded/model/resource.ts';
import { seededRandom } from '../../src/embedded/time/seeded.ts';
import { VirtualClock } from '../fakes/clock.ts';

export interface ApiScene {
  readonly api: EmbeddedApi;
  readonly clock: VirtualClock;
}

/** Made once, as all clusters of a test have the same kinds. */
const RESOURCES = builtInResources();

export function apiScene(options: Partial<EmbeddedApiOptions> = {}): ApiScene {
  const clock = new VirtualClock();
  return { clock, api: createEmbeddedApi({ clock, random: seededRandom(1), resources: RESOURCES, ...options }) };
}

const CORE = { group: '', version: 'v1' };

export function configMaps(name?: string, namespace: string | undefined = 'default'): Target {
  return { ...CORE, plural: 'configmaps', namespace, name };
}

export function pods(name?: string, subresource?: SubresourceName): Target {
  return { ...CORE, plural: 'pods', namespace: 'default', name, subresource };
}

export function namespaces(name?: string, subresource?: SubresourceName): Target {
  return { ...CORE, plural: 'namespaces', name, subresource };
}

export function deployments(name?: string, subresource?: SubresourceName): Target {
  return { group: 'apps', version: 'v1', plural: 'deployments', namespace: 'default', name, subresource };
}

export function definitions(name?: string): Target {
  return { group: 'apiextensions.k8s.io', version: 'v1', plural: 'customresourcedefinitions', name };
}

export function configMap(name: string, data: JsonMap = { color: 'red' }, metadata: JsonMap = {}): JsonMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function namespace(name: string): JsonMap {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
}

export function pod(name: string, spec: JsonMap = {}): JsonMap {
  const containers = [{ name: 'app', image: 'registry.example.org/app:1' }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { app: name } }, spec: { containers, ...spec } };
}

export function deployment(name: string, spec: JsonMap = {}): JsonMap {
  const labels = { app: name };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'app', image: 'registry.example.org/app:1' }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: { replicas: 2, selector: { matchLabels: labels }, template, ...spec },
  };
}

const WIDGET_SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { size: { type: 'integer', minimum: 1 }, color: { type: 'string', default: 'red' } },
    },
    status: { type: 'object', properties: { phase: { type: 'string' } } },
  },
};

/** `widgets.shop.example.org`, served as v1 and, without a schema, as v2. */
export function widgetDefinition(plural = 'widgets', kind = 'Widget'): JsonMap {
  const shapeless = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.shop.example.org` },
    spec: {
      group: 'shop.example.org',
      scope: 'Namespaced',
      names: { plural, kind, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.spec.color' }],
          additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
          schema: { openAPIV3Schema: WIDGET_SCHEMA },
        },
        { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: shapeless } },
      ],
    },
  };
}

export function widgets(name?: string, version = 'v1', subresource?: SubresourceName): Target {
  return { group: 'shop.example.org', version, plural: 'widgets', namespace: 'default', name, subresource };
}

export function widget(name: string, spec: JsonMap = { size: 1 }, metadata: JsonMap = {}): JsonMap {
  return { apiVersion: 'shop.example.org/v1', kind: 'Widget', metadata: { name, ...metadata }, spec };
}

/** What a watch tells, as `ADDED a`. */
export function follow(api: EmbeddedApi, target: Target, options: WatchOptions = {}): string[] {
  const told: string[] = [];
  api.watch(target, options, (event: StoreEvent) => {
    const { name = '' } = event.object['metadata'] as { readonly name?: string };
    told.push(`${event.type} ${name}`.trim());
  });
  return told;
}
