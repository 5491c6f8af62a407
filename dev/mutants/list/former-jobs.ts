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
    search: 'hookSince: hookSince(revision, action),',
    replace: 'hookSince: undefined,',
    killedBy: {
      file: 'src/engine/transaction.test.ts',
      test: 'P16 a backend is told since when a hook runs',
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
    search: ' && !isOfThisRun(job, hookSince)) former.push(job);',
    replace: ') former.push(job);',
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'that this run has made, by clocks of whole seconds is left alone',
    },
  },
  {
    id: 'hook-job-of-others-is-removed',
    promise: 'P21',
    file: 'src/helm/former-jobs.ts',
    search: 'isOurs(job, release) && ',
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
  {
    id: 'hook-former-job-of-the-same-second-passes',
    promise: 'P16',
    file: 'src/helm/former-jobs.ts',
    search: "if (hookSince === 'now' || ",
    replace: "if (hookSince === 'now') return true;\n  if (",
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'of the second in which this run began',
    },
  },
  {
    id: 'hook-former-job-of-the-same-second-passes-later',
    promise: 'P16',
    file: 'src/helm/former-jobs.ts',
    search: "if (hookSince === 'now') for (const job of former) await markFormer(job, cluster);",
    replace: '',
    killedBy: {
      file: 'src/helm/former-jobs.test.ts',
      test: 'of the second in which this run began',
    },
  },
  {
    id: 'hook-is-not-told-that-it-begins',
    promise: 'P16',
    file: 'src/engine/execute.ts',
    search: "return (former?.attempt ?? 0) === 0 ? 'now' : parseTime(progress.startedAt);",
    replace: 'return parseTime(progress.startedAt);',
    killedBy: {
      file: 'src/engine/transaction.test.ts',
      test: 'P16 a backend is told since when a hook runs',
    },
  },
];
