import type { Mutant } from '../mutant.ts';

/** Faults in what becomes of the Jobs that a former run of a hook has left. */
export const FORMER_JOBS: readonly Mutant[] = [
  {
    id: 'hook-former-job-passes-with-helm',
    promise: 'P16',
    file: 'src/backends/helm/deliver.ts',
    search: "if (mode === 'install') await clearFormerRun(release, () => renderManifest(release, tools), tools);",
    replace: '',
    killedBy: {
      file: 'src/backends/helm/deliver.test.ts',
      test: 'P16 a hook whose release is gone is installed by helm once the Job that it left is removed',
    },
  },
  {
    id: 'hook-former-job-passes-with-flux',
    promise: 'P16',
    file: 'src/backends/flux/examine.ts',
    search: "if (mode === 'install') await clearFormerRun(release, () => Promise.resolve(rendered), tools);",
    replace: '',
    killedBy: {
      file: 'src/backends/flux/deliver.test.ts',
      test: 'P16 of a hook whose release is gone begins once the Job that it left is removed',
    },
  },
  {
    id: 'hook-former-job-passes-with-argocd',
    promise: 'P16',
    file: 'src/backends/argocd/prepare.ts',
    search: 'await removeFormerJobs(refs, { release, isOurs }, tools.cluster);',
    replace: '',
    killedBy: {
      file: 'src/backends/argocd/deliver.test.ts',
      test: 'P16 of a hook whose Application is gone begins once the Job that it left is removed',
    },
  },
  {
    id: 'hook-is-not-told-since-when-it-runs',
    promise: 'P16',
    file: 'src/engine/execute.ts',
    search: 'hookSince: hookSince(action.status ?? revision.status, action.component),',
    replace: 'hookSince: hookSince({}, action.component),',
    killedBy: {
      file: 'src/engine/transaction.test.ts',
      test: 'P13 P14 its hook is delivered first, and told from which version to which',
    },
  },
  {
    id: 'hook-former-job-is-cut-off',
    promise: 'P16',
    file: 'src/helm/former-jobs.ts',
    search: 'former.filter((each) => !isTerminating(each) && !runs(each))',
    replace: 'former.filter((each) => !isTerminating(each))',
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'P16 before a hook is installed where no release is, a Job of a former run that runs still is awaited, and not cut off',
    },
  },
  {
    id: 'hook-own-job-is-taken-for-a-former-one',
    promise: 'P16',
    file: 'src/helm/former-jobs.ts',
    search: ' && !isMadeBy(job, change)) former.push(job);',
    replace: ' && change.since > 0) former.push(job);',
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'that this run has made, by clocks of whole seconds is left alone',
    },
  },
  {
    id: 'hook-job-of-others-is-removed',
    promise: 'P21',
    file: 'src/helm/former-jobs.ts',
    search: 'run.isOurs(job, run.release) && ',
    replace: '',
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'P21 of somebody else is left alone',
    },
  },
  {
    id: 'hook-begun-again-forgets-its-start',
    promise: 'P16',
    file: 'src/domain/decide/drafts.ts',
    search: 'if (view.hook) return { ...progress, ...awaitedFrom(walk) };',
    replace: '',
    killedBy: {
      file: 'test/scenario/decide/hooks.test.ts',
      test: 'P9 P16 one that another process begins again keeps its start',
    },
  },
];
