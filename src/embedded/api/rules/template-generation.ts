import { at } from '../../../lib/json.ts';
import type { JsonMap } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import { childOf, withMetadata } from './kind-rules.ts';

const ANNOTATION = 'deprecated.daemonset.template.generation';

/** Every DaemonSet has the annotation, whoever wrote it. */
export function withTemplateGeneration(resource: Resource, object: JsonMap): JsonMap {
  if (resource.group !== 'apps' || resource.plural !== 'daemonsets') return object;
  return withGeneration(object, templateGeneration(object));
}

function templateGeneration(object: JsonMap): number {
  return Number(at(object, 'metadata', 'annotations', ANNOTATION) ?? 0);
}

function withGeneration<T extends JsonMap>(object: T, generation: number): T {
  const annotations = childOf(childOf(object, 'metadata'), 'annotations');
  return withMetadata(object, { annotations: { ...annotations, [ANNOTATION]: String(generation) } });
}
