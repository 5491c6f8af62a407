import type { Mutant } from '../mutant.ts';

const test = 'src/domain/status/next-status.test.ts';

/** Faults in what a package says of itself. */
export const STATUS: readonly Mutant[] = [
  {
    id: 'status-transition-time-runs',
    promise: 'P22',
    file: 'src/domain/status/conditions.ts',
    search: 'lastTransitionTime: unchanged ? former.lastTransitionTime :',
    replace: 'lastTransitionTime: unchanged === undefined ? former.lastTransitionTime :',
    killedBy: { file: test, test: 'P22 a status write causes no other applied' },
  },
  {
    id: 'status-an-upgrade-takes-everybody-down',
    promise: 'P3',
    file: 'src/domain/status/next-status.ts',
    search: 'if (expected.has(key) || isInstalled(release)) installed.push(release);',
    replace: 'installed.push(release);',
    killedBy: { file: test, test: 'a component that an upgrade would add, and has not yet, does not count' },
  },
  {
    id: 'status-unread-counts-as-broken',
    promise: 'P3',
    file: 'src/domain/status/next-status.ts',
    search: 'if (release === undefined || isUnread(release)) return undefined;',
    replace: 'if (release === undefined) return undefined;',
    killedBy: { file: test, test: 'is left as it was while of one component its health is not read' },
  },
  {
    id: 'status-former-verdict-stands-after-an-edit',
    promise: 'R9',
    file: 'src/domain/status/next-status.ts',
    search: "decision.kind === 'observe' && former?.observedGeneration === context.generation",
    replace: "decision.kind === 'observe' && former !== undefined",
    killedBy: { file: test, test: 'R9 a verdict on a former generation does not stand' },
  },
  {
    id: 'status-required-version-is-not-compared',
    promise: 'P3',
    file: 'src/domain/resolve/requirements.ts',
    search: 'versionSatisfies(version, found.version)',
    replace: 'found.version !== version',
    killedBy: { file: 'src/domain/resolve/requirements.test.ts', test: 'while its applied version is too old' },
  },
];
