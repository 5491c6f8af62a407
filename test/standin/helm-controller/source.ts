import type { KubeObject, ObjectRef } from '../../../src/api/kube.ts';
import { asArray, asNumber, asString, at, isRecord } from '../../../src/lib/json.ts';
import type { ChartSource } from './spec.ts';

export const SOURCE_API = 'source.toolkit.fluxcd.io/v1';

export type SourceKind = 'OCIRepository' | 'HelmChart';

/** What a source has fetched. */
export interface Artifact {
  readonly url: string;
  readonly digest: string;
  readonly revision: string;
}

export function sourceRef(chart: ChartSource): ObjectRef {
  const kind = chart.kind === 'ref' ? chart.refKind : 'HelmChart';
  return { apiVersion: SOURCE_API, kind, ...chart.name };
}

export function artifactOf(source: KubeObject): Artifact | undefined {
  const artifact = at(source, 'status', 'artifact');
  if (!isRecord(artifact)) return undefined;
  return {
    url: asString(artifact['url']) ?? '',
    digest: asString(artifact['digest']) ?? '',
    revision: asString(artifact['revision']) ?? '',
  };
}

/**
 * Why a source cannot be used yet, in the controller's words; undefined when it can. Judged by generation first [02, 25],
 * and by what the source says of itself, which can be about the version before [26].
 */
export function notReadyMessage(source: KubeObject): string | undefined {
  const { name, namespace = '' } = source.metadata;
  const say = (why: string): string => `${source.kind} '${namespace}/${name}' is not ready: ${why}`;
  const observed = asNumber(at(source, 'status', 'observedGeneration'));
  if (observed !== source.metadata.generation) return say('latest generation of object has not been reconciled');
  for (const type of ['Stalled', 'Ready']) {
    const condition = conditionOf(source, type);
    const isTrue = at(condition, 'status') === 'True';
    if (type === 'Stalled' ? isTrue : condition !== undefined && !isTrue) {
      return say(asString(at(condition, 'message')) ?? type);
    }
  }
  return artifactOf(source) === undefined ? say('does not have an artifact') : undefined;
}

function conditionOf(source: KubeObject, type: string): unknown {
  return asArray(at(source, 'status', 'conditions')).find((condition) => at(condition, 'type') === type);
}

/** `sha256:…` of a revision `TAG@sha256:…`, or of one that is nothing else. */
export function digestIn(revision: string): string {
  return revision.slice(revision.lastIndexOf('@') + 1);
}
