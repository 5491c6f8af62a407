import type { Mutant } from '../mutant.ts';

const evidence = 'src/domain/readiness/evidence.ts';
const evidenceTest = 'src/domain/readiness/evidence.test.ts';
const engineEvidence = 'src/engine/evidence.ts';
const engineEvidenceTest = 'src/engine/evidence.test.ts';
const announcer = 'src/engine/announcer.ts';
const announcerTest = 'src/engine/announcer.test.ts';

/** Faults in what is kept and told of a failure. */
export const EVIDENCE: readonly Mutant[] = [
  {
    id: 'evidence-is-not-kept',
    promise: 'P10',
    file: 'src/engine/execute.ts',
    search: 'evidence === undefined ? status : withEvidence(status, evidence)',
    replace: 'evidence === undefined ? status : status',
    killedBy: {
      file: 'src/engine/transaction.test.ts',
      test: 'an upgrade is a transaction P15 P16 the Job of a hook that is not done at its deadline does not run on',
    },
  },
  {
    id: 'evidence-log-lines-in-the-status',
    promise: 'I10',
    file: evidence,
    search: "const named = reason === '' ? '' : ` (${reason})`;",
    replace: "const named = ` (${reason} ${textOf(ended, 'message')})`;",
    killedBy: { file: evidenceTest, test: 'how containers ended one that failed' },
  },
  {
    id: 'evidence-messages-from-the-log-are-repeated',
    promise: 'I10',
    file: 'src/domain/readiness/pod-cause.ts',
    search: "lastWords: fromLog.has(status.name) ? '' : textOf(ended, 'message'),",
    replace: "lastWords: textOf(ended, 'message'),",
    killedBy: {
      file: engineEvidenceTest,
      test: 'evidence before undoing P15 a failed hook: its Job, its pod with the exit code, its warnings, and where its last lines are',
    },
  },
  {
    id: 'evidence-foreign-secret-is-replaced',
    promise: 'P21',
    file: engineEvidence,
    search: 'if (labels?.[LABEL.package] === undefined) {',
    replace: "if (labels?.[LABEL.package] === '') {",
    killedBy: {
      file: engineEvidenceTest,
      test: 'evidence before undoing P21 takes the place of no Secret that somebody else made',
    },
  },
  {
    id: 'evidence-its-secret-outlives-the-revision',
    promise: 'P22',
    file: engineEvidence,
    search: "ownerReferences: [{ apiVersion: API_VERSION, kind: 'PackageRevision', name, uid }],",
    replace: 'ownerReferences: [],',
    killedBy: {
      file: engineEvidenceTest,
      test: 'evidence before undoing its Secret goes with the revision, and is found by its package',
    },
  },
  {
    id: 'evidence-stands-in-the-way',
    promise: 'P15',
    file: engineEvidence,
    search: 'troubles.push(`${trouble}: ${describeError(asKubepkgError(thrown))}`);\n    return undefined;',
    replace: 'throw thrown;',
    killedBy: {
      file: engineEvidenceTest,
      test: 'evidence before undoing P21 takes the place of no Secret that somebody else made',
    },
  },
  {
    id: 'evidence-is-not-bounded',
    promise: 'I10',
    file: evidence,
    search: 'if (distinct.length <= limit) return distinct;',
    replace: 'return distinct;',
    killedBy: { file: evidenceTest, test: 'findings are short, each told once, and as many as fit' },
  },
  {
    id: 'evidence-beginning-of-the-log',
    promise: 'P15',
    file: engineEvidence,
    search: 'const end = bytes.subarray(bytes.length - limit);',
    replace: 'const end = bytes.subarray(0, limit);',
    killedBy: {
      file: engineEvidenceTest,
      test: 'evidence before undoing keeps the end of long logs, from the start of a line, and so much of all together',
    },
  },
  {
    id: 'evidence-names-no-exit-code',
    promise: 'P15',
    file: evidence,
    search: 'ended === undefined ? [] : [`exited with code ${String(exitCode(ended))}${named}`]',
    replace: 'ended === undefined ? [] : [`exited${named}`]',
    killedBy: { file: evidenceTest, test: 'how containers ended one that failed' },
  },
  {
    id: 'evidence-secret-is-not-named',
    promise: 'P15',
    file: 'src/domain/release/evidence.ts',
    search: 'message: message === undefined ? where : `${message}; ${where}`',
    replace: 'message: message ?? where',
    killedBy: {
      file: 'src/domain/release/evidence.test.ts',
      test: 'the evidence of a failed revision its message says where the log lines are',
    },
  },
  {
    id: 'evidence-of-health-that-is-lost-is-not-told',
    promise: 'R9',
    file: announcer,
    search: 'this.#tell(about, statusAnnouncements(change.before, change.after, decision));',
    replace: '',
    killedBy: { file: announcerTest, test: 'the engine tells of every transition of a Package that cannot be read' },
  },
  {
    id: 'evidence-a-restart-tells-all-again',
    promise: 'I9',
    file: announcer,
    search: 'if (former !== undefined) this.#tell(about, journalAnnouncements(former.revisions, revisions));',
    replace: 'this.#tell(about, journalAnnouncements(former?.revisions ?? [], revisions));',
    killedBy: {
      file: announcerTest,
      test: 'the engine tells of every transition once: a process that takes over repeats nothing, and nothing is told while nothing changes',
    },
  },
  {
    id: 'evidence-resting-after-a-rollback-is-not-looked-at',
    promise: 'I8',
    file: 'src/domain/decide/rest.ts',
    search: "  'UpgradeRolledBack',\n",
    replace: '',
    killedBy: {
      file: 'src/domain/decide/rest.test.ts',
      test: "when a package is looked at again 'UpgradeRolledBack while something is",
    },
  },
];
