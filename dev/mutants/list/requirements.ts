import type { Mutant } from '../mutant.ts';

const packageFacts = 'src/engine/package-facts.ts';
const packageFactsTest = 'src/engine/package-facts.test.ts';
const requirements = 'src/domain/resolve/requirements.ts';
const requirementsTest = 'src/domain/resolve/requirements.test.ts';
const requirementCycles = 'src/domain/resolve/requirement-cycles.ts';
const requirementCyclesTest = 'src/domain/resolve/requirement-cycles.test.ts';
const engineRequirements = 'src/engine/requirements.ts';
const engineRequirementsTest = 'src/engine/requirements.test.ts';
const waiting = 'src/engine/waiting.ts';
const waitingTest = 'src/engine/waiting.test.ts';
const conflicts = 'src/domain/resolve/conflicts.ts';
const conflictsTest = 'src/domain/resolve/conflicts.test.ts';
const resolvePackage = 'src/domain/resolve/resolve-package.ts';
const resolvePackageTest = 'src/domain/resolve/resolve-package.test.ts';

/** Faults in what stands between packages. */
export const REQUIREMENTS: readonly Mutant[] = [
  {
    id: 'requirements-wanted-version-counts',
    promise: 'P3',
    file: packageFacts,
    search: 'version: lastApplied({ revisions })?.spec.version,',
    replace: 'version: revisions.at(-1)?.spec.version,',
    killedBy: {
      file: packageFactsTest,
      test: 'how a package stands that another one requires the next one is in progress',
    },
  },
  {
    id: 'requirements-availability-is-not-asked',
    promise: 'P3',
    file: requirements,
    search: 'return found.available ? undefined : `package ${name} is not available`;',
    replace: 'return undefined;',
    killedBy: { file: requirementsTest, test: 'P3 a requirement is not met, and says why while it does not work' },
  },
  {
    id: 'requirements-one-that-leaves-counts',
    promise: 'P3',
    file: requirements,
    search: 'if (found.leaving) return `package ${name} is being removed`;',
    replace: '',
    killedBy: { file: requirementsTest, test: 'P3 a requirement is not met, and says why while it is being removed' },
  },
  {
    id: 'requirements-owed-rollback-is-at-rest',
    promise: 'P3',
    file: packageFacts,
    search: "isInProgress(revision) || revision.status?.rollback?.state === 'Owed'",
    replace: 'isInProgress(revision)',
    killedBy: { file: packageFactsTest, test: 'how a package stands that another one requires a rollback is owed' },
  },
  {
    id: 'requirements-optional-and-absent-is-awaited',
    promise: 'P4',
    file: requirements,
    search: 'return requirement.optional === true ? undefined : `package ${name} is not installed`;',
    replace: 'return `package ${name} is not installed`;',
    killedBy: {
      file: requirementsTest,
      test: 'P3 a requirement is met P4 when it is optional and the package is absent',
    },
  },
  {
    id: 'requirements-optional-and-present-is-not-awaited',
    promise: 'P4',
    file: requirements,
    search: "const name = requirement.package ?? '';\n  if",
    replace: "const name = requirement.package ?? '';\n  if (requirement.optional === true) return undefined;\n  if",
    killedBy: {
      file: requirementsTest,
      test: 'P3 a requirement is not met, and says why P4 while an optional one is present and not ready',
    },
  },
  {
    id: 'requirements-optional-circle-is-not-ignored',
    promise: 'P4',
    file: requirementCycles,
    search: 'if (reaches(accepted, edge.to, from)) closing.add(edge);',
    replace: 'if (edge.to.length > 99) closing.add(edge);',
    killedBy: {
      file: requirementCyclesTest,
      test: 'P4 an optional requirement that would close a circle is ignored of a package that requires the other',
    },
  },
  {
    id: 'requirements-circle-of-packages-is-not-named',
    promise: 'P3',
    file: engineRequirements,
    search: 'const deadlock = isHeldUp && !isRunning ? findDeadlock(graph, name, closing) : undefined;',
    replace: 'const deadlock = undefined;',
    killedBy: {
      file: engineRequirementsTest,
      test: 'what stands between packages packages that require each other in a circle each name the circle and the way out',
    },
  },
  {
    id: 'requirements-any-edge-that-is-stuck-holds',
    promise: 'P3',
    file: requirementCycles,
    search: 'return to.length > 0 && to.every((name) => stuck.has(name));',
    replace: 'return to.length > 0 && to.some((name) => stuck.has(name));',
    killedBy: {
      file: requirementCyclesTest,
      test: 'packages that wait for each other for ever not when the capability may come from another',
    },
  },
  {
    id: 'requirements-ignore-dependencies-is-ignored',
    promise: 'P3',
    file: requirements,
    search: 'return all.filter((requirement) => !ignored.has(requiredName(requirement)));',
    replace: 'return all;',
    killedBy: {
      file: requirementsTest,
      test: 'what a package requires is less by a package of the short list that it is told to ignore',
    },
  },
  {
    id: 'requirements-unserved-api-counts',
    promise: 'P3',
    file: requirements,
    search:
      'api === undefined ? providers.some((each) => notProviding(each, capability) === undefined) : facts.served === true;',
    replace:
      'api === undefined ? providers.some((each) => notProviding(each, capability) === undefined) : facts.served !== undefined;',
    killedBy: { file: requirementsTest, test: 'P3 a requirement is not met, and says why while the API is not served' },
  },
  {
    id: 'requirements-next-version-provides-already',
    promise: 'P3',
    file: requirements,
    search: 'if (missing !== undefined || sourceVersion === undefined || capability === name) return missing;',
    replace: 'return missing;',
    killedBy: {
      file: requirementsTest,
      test: 'P3 a requirement is not met, and says why while only the source of a package has it',
    },
  },
  {
    id: 'requirements-unreadable-constraint-waits',
    promise: 'P3',
    file: requirements,
    search: 'return `required package ${name}: version "${version}" is not a version constraint: ${parsed.message}`;',
    replace: 'return undefined;',
    killedBy: { file: requirementsTest, test: 'a requirement that cannot be read is said: a constraint that is none' },
  },
  {
    id: 'requirements-outage-stops-what-runs',
    promise: 'P5',
    file: engineRequirements,
    search: 'if (isRunning) return { unknown: asKubepkgError(error).code };',
    replace: '',
    killedBy: {
      file: engineRequirementsTest,
      test: 'what stands between packages an API that is required P5 that cannot be looked up stops no revision that is under way',
    },
  },
  {
    id: 'requirements-dependency-that-degrades-is-not-reported',
    promise: 'P5',
    file: engineRequirements,
    search: 'dependencies: dependenciesOf(view.facts),',
    replace: 'dependencies: {},',
    killedBy: {
      file: engineRequirementsTest,
      test: 'what stands between packages requirements P3 of one package in two ways are both to be met',
    },
  },
  {
    id: 'requirements-change-wakes-nobody',
    promise: 'P3',
    file: waiting,
    search: 'if (packages.has(changed) || provided',
    replace: 'if (provided',
    killedBy: { file: waitingTest, test: 'who is woken when a package changes one that waits for it' },
  },
  {
    id: 'requirements-discovery-is-asked-once',
    promise: 'P3',
    file: waiting,
    search: 'this.#lookAgain(group, 0);',
    replace: '',
    killedBy: {
      file: waitingTest,
      test: 'who is woken when the APIs of the server change at once, and again for a while, since discovery lags behind',
    },
  },
  {
    id: 'requirements-watches-stay-open',
    promise: 'I9',
    file: waiting,
    search: 'const isNeeded = !this.#stopped && this.#apiWaiters.size > 0;',
    replace: 'const isNeeded = !this.#stopped;',
    killedBy: {
      file: waitingTest,
      test: 'who is woken when the APIs of the server change by two watches, as long as somebody waits',
    },
  },
  {
    id: 'requirements-conflicts-are-ignored',
    promise: 'P21',
    file: 'src/domain/decide/start-revision.ts',
    search: 'if (world.conflicts.length > 0)',
    replace: 'if (world.conflicts.length < 0)',
    killedBy: {
      file: engineRequirementsTest,
      test: 'what stands between packages packages that conflict the one that comes later waits until the other is gone: by its own word',
    },
  },
  {
    id: 'requirements-conflicts-count-one-way',
    promise: 'P21',
    file: conflicts,
    search: 'const incoming = other.conflicts.find((name) => isOrProvides(own, name));',
    replace: 'const incoming: string | undefined = undefined;',
    killedBy: { file: conflictsTest, test: 'two packages conflict when the other names the one' },
  },
  {
    id: 'requirements-conflicts-hold-up-both',
    promise: 'I8',
    file: conflicts,
    search: 'return !own.holds && isOlder(other, own);',
    replace: 'return !own.holds;',
    killedBy: { file: conflictsTest, test: 'of two that conflict the younger does not' },
  },
  {
    id: 'requirements-conflicts-of-what-holds',
    promise: 'P21',
    file: conflicts,
    search: 'if (other.holds) return true;',
    replace: '',
    killedBy: { file: conflictsTest, test: 'of two that conflict what is there keeps out what is not' },
  },
  {
    id: 'requirements-disabled-dependency-is-passed-over',
    promise: 'P2',
    file: resolvePackage,
    search: 'if (target === undefined) {\n',
    replace: 'if (target === undefined && declared.has(dependency)) continue;\n      if (target === undefined) {\n',
    killedBy: { file: resolvePackageTest, test: "what stands against it 'P2 a disabled dependency'" },
  },
  {
    id: 'requirements-two-components-of-one-release',
    promise: 'P21',
    file: resolvePackage,
    search: 'if (other !== undefined)\n      return invalid(`components',
    replace: 'if (other === null)\n      return invalid(`components',
    killedBy: { file: resolvePackageTest, test: "what stands against it 'P21 two components that want one rele" },
  },
];
