import type { Mutant } from '../mutant.ts';

const uninstall = 'src/backends/helm/uninstall.ts';
const uninstallTest = 'src/backends/helm/uninstall.test.ts';
const remains = 'src/helm/remains.ts';
const crdReplacement = 'src/helm/crd-replacement.ts';
const crdReplacementTest = 'src/helm/crd-replacement.test.ts';

/** Faults in what helm is let do to objects that are there. */
export const HELM_OBJECTS: readonly Mutant[] = [
  {
    id: 'removal-helm-purges-without-a-uid',
    promise: 'P20',
    file: 'src/helm/ownership.ts',
    search: "propagation: 'Foreground', uid }",
    replace: "propagation: 'Foreground' }",
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled I6 removes an object only while it is the one that was looked at',
    },
  },
  {
    id: 'removal-helm-records-without-a-uid',
    promise: 'P20',
    file: uninstall,
    search: "await unlessGone(() => cluster.write({ verb: 'delete', ref, uid }));",
    replace: "await unlessGone(() => cluster.write({ verb: 'delete', ref }));",
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled removes a record only while it is the one that was looked at',
    },
  },
  {
    id: 'removal-helm-records-go-before-the-objects',
    promise: 'P20',
    file: uninstall,
    search: 'if (remains.length === 0) await removeRecords(heads, tools);',
    replace: 'await removeRecords(heads, tools);',
    killedBy: { file: uninstallTest, test: 'P20 a release that helm has uninstalled with an object that stands is' },
  },
  {
    id: 'removal-helm-newest-record-goes-first',
    promise: 'P20',
    file: uninstall,
    search: 'for (const { ref, uid } of [...heads].reverse()) {',
    replace: 'for (const { ref, uid } of heads) {',
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled whose records are removed in part is still known as uninstalled',
    },
  },
  {
    id: 'removal-helm-foreign-release',
    promise: 'P21',
    file: uninstall,
    search:
      "if (live.state === 'foreign') return { kind: 'refused', error: new KubepkgError('OwnershipConflict', live.message) };",
    replace: '',
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled P21 is left alone once it is of another package',
    },
  },
  {
    id: 'removal-helm-hooks-in-a-namespace-that-goes',
    promise: 'P20',
    file: uninstall,
    search: 'return object !== undefined && isTerminating(object);',
    replace: 'return object === null;',
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled in a namespace that is being deleted, helm is told whether to run hooks',
    },
  },
  {
    id: 'removal-helm-what-passed-to-another-goes',
    promise: 'I6',
    file: remains,
    search: 'if (live === undefined || !belongsTo(live, target)) continue;',
    replace: 'if (live === undefined) continue;',
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled with an object of another release is',
    },
  },
  {
    id: 'removal-helm-crds-go',
    promise: 'I7',
    file: remains,
    search: 'return isCrd(document.ref) || isNamespace(document.ref) ||',
    replace: 'return',
    killedBy: {
      file: uninstallTest,
      test: 'P20 a release that helm has uninstalled keeps CRDs, and is not held by one that somebody is deleting',
    },
  },
  {
    id: 'removal-helm-data-of-leftovers-goes',
    promise: 'I7',
    file: 'src/helm/prepare-uninstall.ts',
    search: 'if (isLeftover && holdsData(ref)) return undefined;',
    replace: '',
    killedBy: {
      file: 'src/helm/prepare-uninstall.test.ts',
      test: 'P20 before helm uninstalls a release I7 data that an earlier revision left stays',
    },
  },
  {
    id: 'removal-helm-an-upgrade-drops-data',
    promise: 'I7',
    file: 'src/helm/protect-data.ts',
    search: 'if (live === undefined || isKept(live)) continue;',
    replace: 'if (live !== null) continue;',
    killedBy: {
      file: 'src/helm/protect-data.test.ts',
      test: 'before an upgrade I7 a claim is marked to be kept, whether the next manifest has it or not',
    },
  },
  {
    id: 'crds-helm-replaces-those-of-others',
    promise: 'P21',
    file: crdReplacement,
    search: 'if (owner === undefined || release.adopt) return undefined;',
    replace: 'return undefined;',
    killedBy: { file: crdReplacementTest, test: 'P21 a CRD that exists may be replaced of another package' },
  },
  {
    id: 'crds-helm-forgets-a-stored-version',
    promise: 'I7',
    file: crdReplacement,
    search: 'if (lost.length === 0) return undefined;',
    replace: 'return undefined;',
    killedBy: {
      file: crdReplacementTest,
      test: 'P21 a CRD that exists may be replaced without a version that is stored, whoever owns it',
    },
  },
  {
    id: 'crds-helm-changes-the-scope',
    promise: 'I7',
    file: crdReplacement,
    search: 'if (before === after) return undefined;',
    replace: 'return undefined;',
    killedBy: {
      file: crdReplacementTest,
      test: 'P21 a CRD that exists may be replaced with another scope, whoever owns it',
    },
  },
  {
    id: 'crds-helm-does-not-wait-for-established',
    promise: 'P6',
    file: 'src/helm/await-crd.ts',
    search: "return hasCondition(crd, 'Established', 'True') || hasCondition(crd, 'NamesAccepted', 'False');",
    replace: 'return crd !== undefined;',
    killedBy: {
      file: 'src/helm/await-crd.test.ts',
      test: 'the wait for a CRD ends once it is established, and not before',
    },
  },
  {
    id: 'helm-hooks-of-others-are-written-over',
    promise: 'P21',
    file: 'src/helm/foreign-hooks.ts',
    search: 'if (live === undefined || belongsTo(live, release)) continue;',
    replace: 'if (live !== null) continue;',
    killedBy: {
      file: 'src/helm/foreign-hooks.test.ts',
      test: 'P21 what has the name of a hook a Job that somebody made by hand',
    },
  },
];
