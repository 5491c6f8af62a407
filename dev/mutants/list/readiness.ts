import type { Mutant } from '../mutant.ts';

/** Faults in what counts as evidence. */
export const READINESS: readonly Mutant[] = [
  {
    id: 'readiness-former-generation-counts',
    promise: 'I11',
    file: 'src/domain/readiness/assess.ts',
    search: "if (evidence.kind === 'stale') return",
    replace: "if (evidence.kind === 'malformed') return",
    killedBy: { file: 'src/engine/health.test.ts', test: 'is progressing while one speaks of a former generation' },
  },
  {
    id: 'readiness-job-counters-decide',
    promise: 'R1',
    file: 'src/domain/readiness/job.ts',
    search: "if (conditionHolds(object, 'Complete')) return",
    replace: "if (countOf(object, ['status', 'succeeded']) > 0) return",
    killedBy: {
      file: 'src/domain/readiness/job.test.ts',
      test: 'R1 that has merely begun is not ready, and counters decide nothing: all completions counted',
    },
  },
  {
    id: 'readiness-unknown-condition-passes',
    promise: 'P7',
    file: 'src/domain/readiness/conditions.ts',
    search: 'isCurrent(condition) && condition.status === status);\n}\n\n/** The first',
    replace: "isCurrent(condition) && condition.status !== 'False');\n}\n\n/** The first",
    killedBy: { file: 'src/engine/health.test.ts', test: 'is progressing while the condition is Unknown' },
  },
  {
    id: 'readiness-unread-objects-are-passed-over',
    promise: 'I11',
    file: 'src/engine/health.ts',
    search: "(state) => state.kind === 'unread'",
    replace: '(state) => state.kind === undefined',
    killedBy: { file: 'src/engine/health.test.ts', test: 'I11 is unobserved while one of them has not been read' },
  },
  {
    id: 'readiness-evidence-from-before-the-delivery',
    promise: 'I11',
    file: 'src/engine/release-book.ts',
    search: 'await this.#deps.tracker.refresh(followedBy(request));',
    replace: '',
    killedBy: {
      file: 'src/engine/release-book.test.ts',
      test: 'is judged on a live read after the delivery, not on what a watch had delivered before',
    },
  },
  {
    id: 'readiness-same-objects-after-a-new-record',
    promise: 'I11',
    file: 'src/engine/release-book.ts',
    search: 'followed.revision !== observation.revision || ',
    replace: '',
    killedBy: { file: 'src/engine/release-book.test.ts', test: 'follows other objects when a new record has others' },
  },
  {
    id: 'readiness-lost-events-block-for-ever',
    promise: 'F98',
    file: 'src/engine/release-book.ts',
    search: 'return (awaited && now - readAt >= REREAD_MS)',
    replace: 'return (awaited && now < 0)',
    killedBy: { file: 'src/engine/release-book.test.ts', test: 'F98 that is awaited is read anew every minute' },
  },
  {
    id: 'readiness-failure-has-no-beginning',
    promise: 'F22',
    file: 'src/engine/release-book.ts',
    search: 'entry.failedSince ??= this.#deps.clock.now();',
    replace: 'entry.failedSince = this.#deps.clock.now();',
    killedBy: { file: 'src/engine/release-book.test.ts', test: 'knows since when it has been failed without a break' },
  },
  {
    id: 'readiness-old-event-is-believed',
    promise: 'R5',
    file: 'src/engine/object-tracker.ts',
    search: 'if (entry === undefined || isStale(event.object, entry.state)) return;',
    replace: 'if (entry === undefined) return;',
    killedBy: {
      file: 'src/engine/object-tracker.test.ts',
      test: 'a watch that lags behind does not bring back what was there before',
    },
  },
];
