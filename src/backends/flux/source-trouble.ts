import { isCode } from '../../api/errors.ts';
import { type KubeObject, nameOf, type ObjectRef } from '../../api/kube.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import type { Cluster } from '../../ports/cluster.ts';
import { companionsIn, type Facts } from './facts.ts';
import { SECRET } from './names.ts';
import { situationOf } from './situation.ts';

const REASONS: readonly string[] = ['SourceNotReady', 'ArtifactFailed'];

/** While it waits, helm-controller tells what it saw of the source when it began to, and nothing newer. */
export function waitsForSource(facts: Facts): boolean {
  return situationOf(facts) === 'waiting' && REASONS.includes(facts.ready?.reason ?? '');
}

/** Why there is no chart, by the first that says so of those that it comes through. */
export async function findSourceTrouble(helmRelease: KubeObject, cluster: Cluster): Promise<string | undefined> {
  for (const ref of sourcesOf(helmRelease)) {
    const object = await readIfPossible(ref, cluster);
    if (object === 'unreadable') continue;
    if (object === undefined) return `${nameOf(ref)} does not exist`;
    const ready = asArray(at(object, 'status', 'conditions')).find((condition) => at(condition, 'type') === 'Ready');
    if (at(ready, 'status') === 'False') return `${nameOf(ref)}: ${asString(at(ready, 'message')) ?? ''}`;
  }
  return undefined;
}

function sourcesOf(helmRelease: KubeObject): readonly ObjectRef[] {
  const sources = companionsIn(helmRelease).filter(({ kind }) => kind !== SECRET.kind);
  const [namespace = '', name = ''] = (asString(at(helmRelease, 'status', 'helmChart')) ?? '').split('/');
  const apiVersion = sources[0]?.apiVersion ?? '';
  return name === '' || apiVersion === '' ? sources : [...sources, { apiVersion, kind: 'HelmChart', namespace, name }];
}

async function readIfPossible(ref: ObjectRef, cluster: Cluster): Promise<KubeObject | undefined | 'unreadable'> {
  try {
    return await cluster.read(ref);
  } catch (error) {
    if (isCode(error, 'ApiForbidden', 'KindNotServed')) return 'unreadable';
    throw error;
  }
}
