import { findDeprecatedApis, findRemovedApis, findUnservedKinds, findUnservedRecords } from './api-versions.ts';
import { findCrdsLeft, findLostVersions, findUndeclaredCrds } from './crds.ts';
import { findUnjudged } from './custom-readiness.ts';
import { findEmptyLists } from './empty-lists.ts';
import type { PlanFacts, PredictedFinding, Prediction } from './facts.ts';
import { findAutoscaled, findConflicts, findOverwritten } from './field-owners.ts';
import { findFloatingImages, findUnlistedImages, findUnpinnedCharts, findUnpinnedImages } from './images.ts';
import { findImmutable, findRecreatedJobs } from './immutable-fields.ts';
import { findForeignNamespaces, findMissingNamespaces } from './namespaces.ts';
import { findOddVersion } from './odd-version.ts';
import { findAdopted, findForeignObjects } from './ownership.ts';
import { findClusterPermissions } from './permissions.ts';
import { findNearLimit, findTooLarge } from './record-size.ts';
import {
  findInvalidValues,
  findMissingCharts,
  findRefused,
  findStrictHooks,
  findUnowned,
  findUnrendered,
  findUnsure,
} from './refusals.ts';
import { findSafeWithHooks } from './safe-with-hooks.ts';

/** Everything that a plan foresees of failures and surprises. Whether pods find a node cannot be known, and is not guessed. */
export const PREDICTIONS: readonly Prediction[] = [
  {
    id: 'ChartMissing',
    severity: 'error',
    what: 'a chart cannot be fetched, or is not the one its digest names',
    find: findMissingCharts,
  },
  { id: 'ValuesInvalid', severity: 'error', what: "values do not satisfy the chart's schema", find: findInvalidValues },
  {
    id: 'HookValuesRefused',
    severity: 'error',
    what: "a hook's schema refuses the versions that it is given",
    find: findStrictHooks,
  },
  { id: 'RenderFailed', severity: 'error', what: 'a chart does not render', find: findUnrendered },
  { id: 'ImmutableField', severity: 'error', what: 'a field that cannot be changed would change', find: findImmutable },
  {
    id: 'ForeignObject',
    severity: 'error',
    what: 'an object exists that the release does not own',
    find: (facts) => [...findUnowned(facts), ...findForeignObjects(facts)],
  },
  {
    id: 'StoredVersionLost',
    severity: 'error',
    what: 'a CRD would lose a version in which objects are stored',
    find: findLostVersions,
  },
  {
    id: 'ApiVersionRemoved',
    severity: 'error',
    what: 'an object is written in an API version that was removed',
    find: findRemovedApis,
  },
  {
    id: 'RecordUnreadable',
    severity: 'error',
    what: 'a release has on record what the cluster serves no more',
    find: findUnservedRecords,
  },
  {
    id: 'FieldConflict',
    severity: 'error',
    what: 'a field belongs to somebody else, and the backend does not overwrite',
    find: findConflicts,
  },
  { id: 'ReleaseTooLarge', severity: 'error', what: 'a release record does not fit into a Secret', find: findTooLarge },
  { id: 'Refused', severity: 'error', what: 'the API server refuses an object', find: findRefused },
  {
    id: 'FieldOverwritten',
    severity: 'warning',
    what: 'a field that somebody else has set is set back',
    find: findOverwritten,
  },
  {
    id: 'ReplicasAutoscaled',
    severity: 'warning',
    what: 'an autoscaler and a chart both set replicas',
    find: findAutoscaled,
  },
  {
    id: 'ReleaseNearLimit',
    severity: 'warning',
    what: 'a release record comes near what fits into a Secret',
    find: findNearLimit,
  },
  {
    id: 'CRDNotUpgraded',
    severity: 'warning',
    what: 'a CRD differs from that of the chart and stays',
    find: findCrdsLeft,
  },
  { id: 'NoReadiness', severity: 'warning', what: 'nobody says when a custom resource is ready', find: findUnjudged },
  {
    id: 'SafeWithHooks',
    severity: 'warning',
    what: 'a version declares itself safe to go back from, and has hooks',
    find: findSafeWithHooks,
  },
  {
    id: 'VersionUnordered',
    severity: 'warning',
    what: 'a package has no version, or one that is no semantic version',
    find: findOddVersion,
  },
  {
    id: 'TrueOfNothing',
    severity: 'warning',
    what: 'an expression is true of a list that a filter leaves empty',
    find: findEmptyLists,
  },
  {
    id: 'NamespaceMissing',
    severity: 'warning',
    what: 'an object goes into a namespace that does not exist',
    find: findMissingNamespaces,
  },
  {
    id: 'ImageNotListed',
    severity: 'warning',
    what: 'an image is not among those that the package lists',
    find: findUnlistedImages,
  },
  {
    id: 'NotTried',
    severity: 'warning',
    what: 'the API server did not say whether it takes an object',
    find: findUnsure,
  },
  { id: 'JobRecreated', severity: 'info', what: 'a finished Job is deleted and made again', find: findRecreatedJobs },
  { id: 'ObjectAdopted', severity: 'info', what: 'an object that exists is taken over', find: findAdopted },
  { id: 'KindNotServed', severity: 'info', what: 'a kind is not served yet', find: findUnservedKinds },
  {
    id: 'ApiVersionDeprecated',
    severity: 'info',
    what: 'an API version is not served by later versions of Kubernetes',
    find: findDeprecatedApis,
  },
  {
    id: 'NamespaceForeign',
    severity: 'info',
    what: "an object goes into a namespace that is not the package's",
    find: findForeignNamespaces,
  },
  {
    id: 'ClusterPermissions',
    severity: 'info',
    what: 'a component gives permissions in the whole cluster',
    find: findClusterPermissions,
  },
  {
    id: 'CRDNotDeclared',
    severity: 'info',
    what: 'a CRD of the package is not listed in its source',
    find: findUndeclaredCrds,
  },
  { id: 'ImageFloating', severity: 'info', what: 'an image has no tag, or latest', find: findFloatingImages },
  { id: 'ImageUnpinned', severity: 'info', what: 'an image has no digest', find: findUnpinnedImages },
  { id: 'ChartUnpinned', severity: 'info', what: 'a chart has no digest', find: findUnpinnedCharts },
];

/** All findings, the worst first, as the list is. */
export function predict(facts: PlanFacts): readonly PredictedFinding[] {
  return PREDICTIONS.flatMap(({ id, severity, find }) =>
    find(facts).map((foreseen) => ({ code: id, severity, ...foreseen })),
  );
}
