import { at } from '../../../lib/json.ts';
import type { Core } from '../core.ts';
import { childOf, type KindRules, withSpec } from './kind-rules.ts';

const IS_DEFAULT = 'storageclass.kubernetes.io/is-default-class';

/** A claim that names no class is of the newest default one. */
export const CLAIM_RULES: KindRules = {
  create: (core, object) => {
    const pending = { ...object, status: { phase: 'Pending' } };
    if (childOf(object, 'spec')['storageClassName'] !== undefined) return pending;
    const storageClassName = defaultClass(core);
    return storageClassName === undefined ? pending : withSpec(pending, { storageClassName });
  },
};

export const VOLUME_RULES: KindRules = {
  create: (_core, object) => ({ ...object, status: { phase: 'Pending' } }),
};

function defaultClass(core: Core): string | undefined {
  const classes = core.store
    .all('storage.k8s.io/storageclasses')
    .filter((own) => at(own, 'metadata', 'annotations', IS_DEFAULT) === 'true');
  const newest = classes.toSorted(
    (a, b) =>
      b.metadata.creationTimestamp.localeCompare(a.metadata.creationTimestamp) ||
      a.metadata.name.localeCompare(b.metadata.name),
  );
  return newest[0]?.metadata.name;
}
