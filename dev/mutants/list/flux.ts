import type { Mutant } from '../mutant.ts';

const situation = 'src/backends/flux/situation.ts';
const situationTest = 'src/backends/flux/situation.test.ts';
const SAYS = 'the situation of a HelmRelease';

function misread(id: string, { search, replace, test }: { search: string; replace: string; test: string }): Mutant {
  return { id: `flux-${id}`, promise: 'R4', file: situation, search, replace, killedBy: { file: situationTest, test } };
}

/** Faults in what a HelmRelease is taken to say. */
export const FLUX: readonly Mutant[] = [
  misread('suspension-is-overlooked', {
    search: 'if (facts.suspended) return suspendedSituation(facts);',
    replace: '',
    test: SAYS,
  }),
  misread('somebody-elses-suspension-is-ours', {
    search: "if (!isStopped(facts)) return 'paused';",
    replace: '',
    test: SAYS,
  }),
  misread('what-was-told-to-stop-has-stopped', {
    search: "if (facts.reconciling?.reason === 'Progressing' && facts.ready?.status !== 'False') return 'working';",
    replace: '',
    test: 'P9 suspended by us, while a turn that had begun before goes on',
  }),
  misread('stop-is-over-before-it-is-seen', {
    search: "return facts.observed === facts.generation || isUntold(facts) ? 'stopped' : 'stopping';",
    replace: "return 'stopped';",
    test: 'P16 suspended by us, which no turn has ended with',
  }),
  misread('any-turn-will-do', {
    search:
      'if (stamps.attempt === undefined || (requestedAt !== undefined && requestedAt === handledAt)) return true;',
    replace: 'if (stamps.attempt === undefined || requestedAt !== undefined) return true;',
    test: 'a retry of the same spec is not handled',
  }),
  misread('any-release-is-newer', {
    search: 'return former !== undefined && release?.digest !== former;',
    replace: 'return true;',
    test: 'R4 the turn that took the request had to wait for the chart',
  }),
  misread('generations-do-not-matter', {
    search: 'return facts.observed === facts.generation && isHandled(facts);',
    replace: 'return isHandled(facts);',
    test: 'R4 the generation that a turn ended with is a former one',
  }),
  misread('former-counters-count', {
    search: 'return attempted === generation && (resetAt === undefined || resetAt === handledResetAt);',
    replace: 'return attempted === generation;',
    test: SAYS,
  }),
  misread('former-failure-counts', {
    search: 'return isPlanned(facts) && failures > 0 &&',
    replace: 'return failures > 0 &&',
    test: SAYS,
  }),
  misread('failures-need-no-action', {
    search: " && failures > 0 && released?.status === 'False'",
    replace: " && released?.status === 'False'",
    test: SAYS,
  }),
  misread('endless-retries-are-final', {
    search: "if (reconciling === undefined) return 'failed';",
    replace: "return 'failed';",
    test: SAYS,
  }),
  misread('other-charts-are-ours', {
    search: 'const isOurs = isWantedChart(newest, facts) && isWantedConfig(newest, facts);',
    replace: 'const isOurs = isWantedConfig(newest, facts);',
    test: 'another chart by an edit',
  }),
  misread('other-values-are-ours', {
    search: 'const isOurs = isWantedChart(newest, facts) && isWantedConfig(newest, facts);',
    replace: 'const isOurs = isWantedChart(newest, facts);',
    test: 'other values by an edit',
  }),
  misread('a-turn-that-was-cut-off-has-delivered', {
    search: "const wasCutOff = ready?.status !== 'False' || ready.reason === CUT_OFF;",
    replace: "const wasCutOff = ready?.status !== 'False';",
    test: 'P7 a later turn acted and was cut off, and begins again',
  }),
  misread('an-action-that-was-cut-off-has-delivered', {
    search: "const wasCutOff = ready?.status !== 'False' || ready.reason === CUT_OFF;",
    replace: 'const wasCutOff = ready?.reason === CUT_OFF;',
    test: 'P7 a later turn acted and was cut off, and the next one has begun',
  }),
  misread('a-request-that-delivered-nothing-has-delivered', {
    search: "return isSkipped(newest, facts) ? 'skipped' : 'delivered';",
    replace: "return 'delivered';",
    test: 'R4 the turn that took the request had to wait for the chart',
  }),
  misread('an-action-that-runs-has-delivered', {
    search: 'if (!isEnded(facts) || attempted !== generation || isActing(facts)) return undefined;',
    replace: 'if (!isEnded(facts) || attempted !== generation) return undefined;',
    test: 'a later turn has acted, and not written all of it',
  }),
  misread('plans-do-not-matter', {
    search: "return newest?.status === 'deployed' && isAsPlanned(newest, facts) ? newest : undefined;",
    replace: "return newest?.status === 'deployed' ? newest : undefined;",
    test: 'the values of the newest release are not those that were planned',
  }),
  misread('failed-releases-run', {
    search: "return newest?.status === 'deployed' && isAsPlanned(newest, facts) ? newest : undefined;",
    replace: 'return newest !== undefined && isAsPlanned(newest, facts) ? newest : undefined;',
    test: 'R4 the newest release has failed, and the conditions are of before',
  }),
  misread('values-written-otherwise-are-waited-for-in-vain', {
    search: 'return isSpecOurs || (stamps.configDigest !== undefined && configDigest === stamps.configDigest);',
    replace: 'return stamps.configDigest !== undefined && configDigest === stamps.configDigest;',
    test: 'Flux writes values otherwise than foretold',
  }),
  misread('early-noise-fails', {
    search: "if (isWaiting(facts)) return 'waiting';",
    replace: "if (isWaiting(facts)) return 'failed';",
    test: SAYS,
  }),
  {
    id: 'flux-late-suspension-is-undone',
    promise: 'F03',
    file: 'src/backends/flux/write-release.ts',
    search: ' &&\n    isSuspended(live) === isSuspended(owner)',
    replace: '',
    killedBy: {
      file: 'src/backends/flux/write-release.test.ts',
      test: 'F03 does not resume what somebody suspends while the chart is examined',
    },
  },
];
