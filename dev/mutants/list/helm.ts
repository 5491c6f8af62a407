import type { Mutant } from '../mutant.ts';

const deliver = { file: 'src/backends/helm/deliver.ts' };
const lastLook = 'src/backends/helm/last-look.test.ts';
const sweep = { file: 'src/backends/helm/sweep-leftovers.ts' };
const sweeping = 'src/backends/helm/sweep-leftovers.test.ts';
const mode = { file: 'src/backends/helm/delivery-mode.ts' };
const modes = 'src/backends/helm/delivery-mode.test.ts';
const interpret = 'src/helm/interpret.ts';
const interpreted = 'src/helm/interpret.test.ts';

/** Faults in how helm is asked and its records are read. */
export const HELM: readonly Mutant[] = [
  {
    id: 'helm-leftovers-of-a-failed-attempt-are-forgotten',
    promise: 'P10',
    file: 'src/helm/release-store.ts',
    search: "if (observation.delivery === 'delivered' && hasLeftovers(heads))",
    replace: "if (observation.delivery === 'removing' && hasLeftovers(heads))",
    killedBy: { file: sweeping, test: 'is removed at a later look when a request for it failed' },
  },
  {
    id: 'helm-leftovers-are-looked-for-for-ever',
    promise: 'P22',
    ...sweep,
    search: 'for (const head of swept) await unlessGone(() => markSwept(head, tools));',
    replace: '',
    killedBy: { file: sweeping, test: 'is known of a release whose delivery is complete, and removed once' },
  },
  {
    id: 'helm-leftovers-that-are-gone-are-an-error',
    promise: 'P10',
    ...sweep,
    search: "await unlessGone(() => cluster.write({ verb: 'delete', ref, propagation: 'Background', uid }));",
    replace: "await cluster.write({ verb: 'delete', ref, propagation: 'Background', uid });",
    killedBy: { file: sweeping, test: 'may be gone before it is removed' },
  },
  {
    id: 'helm-starts-on-what-it-saw-before-it-prepared',
    promise: 'P21',
    ...deliver,
    search: "if (moved !== undefined) return { kind: 'failed', error: moved };",
    replace: "if (moved?.message === '') return { kind: 'failed', error: moved };",
    killedBy: { file: lastLook, test: 'which another package has begun to install meanwhile' },
  },
  {
    id: 'helm-another-record-of-the-same-status-is-the-same',
    promise: 'P21',
    ...deliver,
    search: 'now?.uid === then?.uid && ',
    replace: '',
    killedBy: { file: lastLook, test: 'which somebody has failed to upgrade meanwhile' },
  },
  {
    id: 'helm-a-record-that-went-on-is-the-same',
    promise: 'P21',
    ...deliver,
    search: ' && now?.status === then?.status',
    replace: '',
    killedBy: { file: lastLook, test: 'whose own record went on meanwhile' },
  },
  {
    id: 'helm-former-values-are-kept',
    promise: 'R8',
    file: 'src/backends/helm/translate.ts',
    search: "'--reset-values', ",
    replace: '',
    killedBy: { file: 'src/backends/helm/translate.test.ts', test: 'a delivery by upgrade with helm 4' },
  },
  {
    id: 'helm-no-values-at-all-is-no-answer',
    promise: 'R8',
    file: 'src/backends/helm/translate.ts',
    search: "'--namespace', release.namespace, '--values', '-', '--timeout'",
    replace: "'--namespace', release.namespace, '--timeout'",
    killedBy: { file: 'src/backends/helm/translate.test.ts', test: 'a delivery by upgrade with helm 4' },
  },
  {
    id: 'helm-foreign-record-passes-for-ours',
    promise: 'P21',
    file: interpret,
    search: 'if (owner === undefined) return interpretAnyones(heads);',
    replace: 'return interpretAnyones(heads);',
    killedBy: {
      file: interpreted,
      test: 'P21 that passed to somebody else is foreign though an older record was ours',
    },
  },
  {
    id: 'helm-superseded-counts-as-delivered',
    promise: 'P22',
    file: interpret,
    search: "superseded: 'failed'",
    replace: "superseded: 'delivered'",
    killedBy: { file: interpreted, test: 'superseded' },
  },
  {
    id: 'helm-failed-record-lists-the-objects',
    promise: 'P6',
    file: interpret,
    search: 'heads.find(({ status }) => COMPLETED.includes(status)) ?? heads[0]',
    replace: 'heads[0]',
    killedBy: { file: interpreted, test: 'the newest that was completed' },
  },
  {
    ...mode,
    id: 'helm-delivers-over-somebody-else',
    promise: 'P21',
    search: "if (live.state === 'foreign' && isTaken(live, release)) return refused(live.message);",
    replace: '',
    killedBy: { file: modes, test: 'a release is not delivered P21 over a foreign one' },
  },
  {
    ...mode,
    id: 'helm-delivers-on-old-knowledge',
    promise: 'P21',
    search: 'if (changed(decidedOn, live)) return',
    replace: 'if (changed(live, live)) return',
    killedBy: { file: modes, test: 'on old knowledge, over one P21 that appeared a moment ago' },
  },
  {
    ...mode,
    id: 'helm-delivers-over-a-pending-record',
    promise: 'R2',
    search: "if (live.delivery === 'pending' || live.delivery === 'removing') {",
    replace: "if (live.delivery === 'removing') {",
    killedBy: { file: modes, test: 'a release is not delivered over a pending one' },
  },
  {
    ...mode,
    id: 'helm-delivers-an-attempt-again',
    promise: 'P22',
    search: "if (isDelivered(live, release.token)) return { kind: 'done' };",
    replace: '',
    killedBy: { file: modes, test: 'P22 not again when this attempt was delivered' },
  },
  {
    id: 'helm-its-environment-comes-from-outside',
    promise: 'I10',
    file: 'src/helm/helm-program.ts',
    search: '!/^(HELM_|KUBECONFIG$|KUBECACHEDIR$)/.test(name)',
    replace: "name !== ''",
    killedBy: { file: 'src/helm/helm-program.test.ts', test: 'has nothing of helm from outside' },
  },
];
