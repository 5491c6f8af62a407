import type { KubeObject } from '../../api/kube.ts';
import { conditionHolds, describeCondition, findCondition } from './conditions.ts';
import { recordsOf, textOf } from './fields.ts';
import { failed, type KindRule, progressing, ready, type ReadinessContext } from './verdict.ts';

/** Established, and served by discovery where somebody looked. */
export const customResourceDefinition: KindRule = {
  alwaysObserved: false,
  assess(object, context) {
    const refused = findCondition(object, 'NamesAccepted', 'False');
    if (refused !== undefined) return failed('NamesNotAccepted', describeCondition(object, 'NamesAccepted'));
    const unestablished = findCondition(object, 'Established', 'False');
    if (unestablished !== undefined && unestablished.reason !== 'Installing') {
      return failed('NotEstablished', describeCondition(object, 'Established'));
    }
    if (!conditionHolds(object, 'Established')) {
      return progressing('NotEstablished', describeCondition(object, 'Established'));
    }
    const missing = notServed(object, context);
    if (missing !== undefined) return progressing('NotServed', `discovery does not serve ${missing} yet`);
    return ready('established');
  },
  related: () => [],
};

function notServed(object: KubeObject, context: ReadinessContext): string | undefined {
  const kind = textOf(object, 'spec', 'names', 'kind');
  const versions = recordsOf(object, 'spec', 'versions').filter((version) => version.served === true);
  const apiVersions = versions.map((version) => `${textOf(object, 'spec', 'group')}/${textOf(version, 'name')}`);
  const missing = apiVersions.find((apiVersion) => context.served(apiVersion, kind) === false);
  return missing === undefined ? undefined : `${missing} ${kind}`;
}
