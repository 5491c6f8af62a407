import type { Mutant } from '../mutant.ts';

const newerThanChange = 'src/domain/readiness/newer-than-change.ts';
const newerThanChangeTest = 'src/domain/readiness/newer-than-change.test.ts';
const conditions = 'src/domain/readiness/conditions.ts';
const conditionsTest = 'src/domain/readiness/conditions.test.ts';
const gatherReleases = 'src/engine/gather-releases.ts';
const gatherReleasesTest = 'src/engine/gather-releases.test.ts';
const readyWhenTest = 'src/domain/readiness/ready-when.test.ts';
const readyWhen = 'src/domain/readiness/ready-when.ts';
const releaseBook = 'src/engine/release-book.ts';
const releaseBookTest = 'src/engine/release-book.test.ts';
const explain = 'src/domain/readiness/explain.ts';
const explainTest = 'src/domain/readiness/explain.test.ts';

/** Faults in what counts as newer than the change, and in what is told of it. */
export const READINESS_EVIDENCE: readonly Mutant[] = [
  {
    id: 'rule-1-no-silence-is-waited-for',
    promise: 'P7',
    file: newerThanChange,
    search: '? written + QUIET_MS : since + SILENCE_MS',
    replace: '? written : since + SILENCE_MS',
    killedBy: {
      file: newerThanChangeTest,
      test: "F18 R6 a status that names no generation counts 'after 5 s of quiet when its status wa",
    },
  },
  {
    id: 'rule-1-old-transition-counts',
    promise: 'I11',
    file: newerThanChange,
    search: 'if (transition !== undefined && parseTime(transition) >= since) return since;',
    replace: 'if (transition !== undefined) return since;',
    killedBy: {
      file: newerThanChangeTest,
      test: "F18 R6 a status that names no generation counts 'after 5 s of quiet when its status wa",
    },
  },
  {
    id: 'rule-1-new-controller-is-not-awaited',
    promise: 'I11',
    file: newerThanChange,
    search: "'unchanged/current': ['controller'],",
    replace: "'unchanged/current': [],",
    killedBy: {
      file: newerThanChangeTest,
      test: 'rule 4.1 what an object says counts altered before its controller was ready: by the controller',
    },
  },
  {
    id: 'rule-1-a-new-controller-has-no-hold',
    promise: 'I11',
    file: newerThanChange,
    search: 'return Math.max(writtenAt, heldFrom(transition, held)) + CONTROLLER_HOLD_MS;',
    replace: 'return writtenAt;',
    killedBy: {
      file: newerThanChangeTest,
      test: 'rule 4.1 what an object says counts after its controller was delivered anew 10 s after the first write since',
    },
  },
  {
    id: 'rule-1-a-silent-controller-is-believed',
    promise: 'I11',
    file: newerThanChange,
    search: 'return readyAt + CONTROLLER_SILENCE_MS;',
    replace: 'return readyAt;',
    killedBy: {
      file: newerThanChangeTest,
      test: 'rule 4.1 what an object says counts altered before its controller was ready: by the controller',
    },
  },
  {
    id: 'rule-1-stable-for-ignores-the-delivery',
    promise: 'P7',
    file: newerThanChange,
    search: 'Math.max(heldFrom(transition, held), change?.since ?? 0, controllerReadyAt ?? 0) + stableForMs',
    replace: 'heldFrom(transition, held) + stableForMs',
    killedBy: { file: newerThanChangeTest, test: 'stableFor counts from the delivery, however long it held before' },
  },
  {
    id: 'rule-1-stable-for-is-ignored',
    promise: 'P7',
    file: 'src/engine/finding.ts',
    search: 'if (stableFor !== undefined && isAwaited) {',
    replace: 'if (stableFor !== undefined && !isAwaited) {',
    killedBy: {
      file: 'src/engine/finding.test.ts',
      test: 'P7 rule 4.1 of what names no generation, or may have a new controller with stableFor has to hold for so long, and no longer wait applies',
    },
  },
  {
    id: 'rule-1-a-break-does-not-count',
    promise: 'P7',
    file: newerThanChange,
    search: '(brokenAt === undefined || told >= wholeSeconds(brokenAt))',
    replace: '(brokenAt === undefined || told >= 0)',
    killedBy: {
      file: newerThanChangeTest,
      test: 'rule 4.1 what an object says counts after its controller was delivered anew 10 s after it was last seen not to hold',
    },
  },
  {
    id: 'rule-1-condition-generation-is-ignored',
    promise: 'I11',
    file: conditions,
    search: "return own.find((evidence) => evidence.kind !== 'current') ?? own[0] ?? statusEvidence(object);",
    replace: 'return statusEvidence(object);',
    killedBy: {
      file: conditionsTest,
      test: 'evidence about the generation is taken from the condition, which goes first',
    },
  },
  {
    id: 'rule-1-status-generation-is-ignored',
    promise: 'I11',
    file: conditions,
    search: "return observed >= generation ? { kind: 'current' }",
    replace: "return observed >= 0 ? { kind: 'current' }",
    killedBy: {
      file: conditionsTest,
      test: 'evidence about the generation is taken from the condition, also when it is behind',
    },
  },
  {
    id: 'rule-1-requirement-delivered-anew-is-unknown',
    promise: 'I11',
    file: gatherReleases,
    search: 'controllerReadyAt: controllerReadyAt(judge, component, part),',
    replace: 'controllerReadyAt: undefined,',
    killedBy: {
      file: gatherReleasesTest,
      test: 'I11 rule 4.1 what the health of a component has to answer to its own delivery, and what it depends on by however many steps, delivered anew',
    },
  },
  {
    id: 'rule-1-what-was-delivered-is-not-known',
    promise: 'I11',
    file: gatherReleases,
    search: 'changedAt: changedAt(progress),',
    replace: 'changedAt: undefined,',
    killedBy: {
      file: gatherReleasesTest,
      test: 'I11 rule 4.1 what the health of a component has to answer to its own delivery, and what it depends on by however many steps, delivered anew',
    },
  },
  {
    id: 'rule-8-unknown-is-true',
    promise: 'P7',
    file: conditions,
    search: 'entries.every((condition) => isCurrent(condition) && condition.status === status)',
    replace:
      "entries.every((condition) => isCurrent(condition) && (condition.status === status || condition.status === 'Unknown'))",
    killedBy: {
      file: readyWhenTest,
      test: 'an entry of readyWhen passes on an exact match only: Unknown, which is not True',
    },
  },
  {
    id: 'rule-8-malformed-entries-match',
    promise: 'P7',
    file: 'src/domain/readiness/assess.ts',
    search: 'malformed(object) ??\n',
    replace: '',
    killedBy: {
      file: 'src/domain/readiness/assess.test.ts',
      test: 'an object of any kind is unknown with a status that is no map',
    },
  },
  {
    id: 'rule-8-one-of-several-is-enough',
    promise: 'P7',
    file: conditions,
    search: 'return entries.length > 0 && entries.every(',
    replace: 'return entries.length > 0 && entries.some(',
    killedBy: {
      file: readyWhenTest,
      test: 'an entry of readyWhen passes on an exact match only: two entries that differ',
    },
  },
  {
    id: 'rule-8-being-deleted-is-ready',
    promise: 'P7',
    file: readyWhen,
    search: "return { status: 'terminating', reason: 'Terminating', message: 'is being deleted' };",
    replace: "return ready('is being deleted');",
    killedBy: {
      file: readyWhenTest,
      test: 'an entry of readyWhen R6 does not hold for an object that is being deleted',
    },
  },
  {
    id: 'rule-8-no-status-holds',
    promise: 'P7',
    file: readyWhen,
    search: 'if (object.status === undefined) return NO_STATUS;',
    replace: "if (object.status === undefined) return ready('no status');",
    killedBy: {
      file: readyWhenTest,
      test: 'an entry of readyWhen F13 waits for a status, and asks whether anyone writes it',
    },
  },
  {
    id: 'rule-8-missing-object-holds',
    promise: 'P7',
    file: readyWhen,
    search: "if (object === undefined) return progressing('NotFound', 'does not exist yet');",
    replace: "if (object === undefined) return ready('is not there');",
    killedBy: { file: readyWhenTest, test: 'an entry of readyWhen P7 waits for an object that does not exist yet' },
  },
  {
    id: 'rule-8-unserved-kind-holds',
    promise: 'P7',
    file: readyWhen,
    search: 'if (!lookup.served) return progressing(',
    replace: 'if (!lookup.served) return failed(',
    killedBy: { file: readyWhenTest, test: 'an entry of readyWhen P7 waits for a kind that is not served yet' },
  },
  {
    id: 'rule-8-generation-is-not-asked',
    promise: 'P7',
    file: readyWhen,
    search: "if (evidence.kind === 'current' || evidence.kind === 'none') return ready(holding);",
    replace: 'return ready(holding);',
    killedBy: {
      file: readyWhenTest,
      test: 'an entry of readyWhen holds for the generation that it has to: R6 the status is about generation 1',
    },
  },
  {
    id: 'rule-8-one-entry-is-enough',
    promise: 'P7',
    file: 'src/engine/health.ts',
    search: 'for (const [index, entry] of (request.component.readyWhen ?? []).entries()) {',
    replace: 'for (const [index, entry] of (request.component.readyWhen ?? []).slice(0, 1).entries()) {',
    killedBy: {
      file: 'src/engine/health.test.ts',
      test: 'P7 of what it waits for besides is progressing while the last of several does not hold',
    },
  },
  {
    id: 'rule-8-namespace-of-cluster-scoped-kinds',
    promise: 'P7',
    file: releaseBook,
    search: 'if (served?.namespaced === false) return { apiVersion, kind, name };',
    replace: '',
    killedBy: {
      file: releaseBookTest,
      test: 'the book of releases P7 what a component waits for besides has none where its kind has none',
    },
  },
  {
    id: 'rule-10-permission-that-comes-late',
    promise: 'F98',
    file: releaseBook,
    search: 'if (due) entry.followed = undefined;',
    replace: '',
    killedBy: {
      file: releaseBookTest,
      test: 'the book of releases a release F98 that is awaited is read anew every minute, so that no lost event blocks for ever',
    },
  },
  {
    id: 'rule-11-pods-cause-is-not-looked-for',
    promise: 'F77',
    file: explain,
    search: 'creationCause(object, related) ?? podsCause(object, related) ?? warningCause(object, related)',
    replace: 'creationCause(object, related) ?? warningCause(object, related)',
    killedBy: { file: explainTest, test: 'the deepest cause is an image that cannot be pulled' },
  },
  {
    id: 'rule-11-quota-is-not-named',
    promise: 'F77',
    file: explain,
    search: 'creationCause(object, related) ?? podsCause(object, related)',
    replace: 'podsCause(object, related)',
    killedBy: { file: explainTest, test: 'the deepest cause is the quota that allows no pod' },
  },
  {
    id: 'rule-12-what-is-applied-waits-again',
    promise: 'P22',
    file: gatherReleases,
    search: 'if (judge === undefined || component === undefined || judge !== current) return wanted;',
    replace: 'if (judge === undefined || component === undefined) return wanted;',
    killedBy: { file: gatherReleasesTest, test: 'rule 4.12 nothing once it is applied' },
  },
  {
    id: 'rule-12-health-after-success-is-not-judged',
    promise: 'P3',
    file: 'src/domain/status/next-status.ts',
    search: "includes(observation.delivery) && health.status === 'ready';",
    replace: 'includes(observation.delivery);',
    killedBy: { file: 'src/domain/status/next-status.test.ts', test: 'P3 Available one is not ready' },
  },
];
