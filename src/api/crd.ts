import { KINDS, type KindDefinition, SERVED_VERSIONS } from './crd-kinds.ts';
import type { KubeObject } from './kube.ts';
import { ANNOTATION, GROUP, VERSION } from './names.ts';
import { type StructuralSchema, structuralSchema } from './structural.ts';

/** The CustomResourceDefinitions of kubepkg's kinds, under its own or another API group. */
export function customResourceDefinitions(group: string = GROUP): readonly KubeObject[] {
  return KINDS.map((definition) => customResourceDefinition(definition, group));
}

function customResourceDefinition(definition: KindDefinition, group: string): KubeObject {
  const { kind, plural, shortNames } = definition;
  const schema = objectSchema(definition);
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: { [ANNOTATION.helmKeep]: 'keep' } },
    spec: {
      group,
      scope: 'Cluster',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase(), shortNames },
      versions: SERVED_VERSIONS.map((version) => ({
        name: version,
        served: true,
        storage: version === VERSION,
        ...deprecation(version, group, kind),
        schema: { openAPIV3Schema: schema },
        subresources: { status: {} },
        additionalPrinterColumns: definition.columns,
      })),
    },
  };
}

function deprecation(version: string, group: string, kind: string): Record<string, unknown> {
  if (version === VERSION) return {};
  return {
    deprecated: true,
    deprecationWarning: `${group}/${version} ${kind} is deprecated; use ${group}/${VERSION} ${kind}`,
  };
}

/** The whole object: what Kubernetes adds to every kind, and ours. */
export function objectSchema(definition: KindDefinition): StructuralSchema {
  const { properties, ...schema } = structuralSchema(definition.schema);
  return {
    ...schema,
    description: definition.description,
    properties: {
      apiVersion: { type: 'string', description: 'API version of the object.' },
      kind: { type: 'string', description: 'Kind of the object.' },
      metadata: metadataSchema(definition.maxName),
      ...properties,
    },
  };
}

/** Names end up in label values, which are shorter than names may be. */
function metadataSchema(maxName: number | undefined): StructuralSchema {
  if (maxName === undefined) return { type: 'object' };
  return { type: 'object', properties: { name: { type: 'string', maxLength: maxName } } };
}
