import type { Mutant } from '../mutant.ts';

const removalState = 'src/backends/flux/removal-state.ts';
const fluxUninstallTest = 'src/backends/flux/uninstall.test.ts';

/** Faults in how objects are awaited that pass from one release to another. */
export const PASSING_OBJECTS: readonly Mutant[] = [
  {
    id: 'passing-object-that-goes-is-a-conflict-for-good',
    promise: 'P10',
    file: 'src/helm/explain-failure.ts',
    search: '(await awaitedObject(result.stderr, release, tools)) ?? failure',
    replace: 'failure',
    killedBy: {
      file: 'src/backends/helm/deliver.test.ts',
      test: 'P10 a release whose object another release had is delivered later while that object goes',
    },
  },
  {
    id: 'passing-object-that-goes-does-not-render',
    promise: 'P10',
    file: 'src/helm/explain-failure.ts',
    search: '(await awaitedObject(result.stderr, release, tools)) ?? failure',
    replace: 'failure',
    killedBy: {
      file: 'src/backends/helm/deliver.test.ts',
      test: 'P10 a release whose object another release had is rendered later while that object goes',
    },
  },
  {
    id: 'passing-object-that-stands-is-awaited',
    promise: 'P21',
    file: 'src/helm/awaited-object.ts',
    search: 'if (!isTerminating(object)) return undefined;',
    replace: '',
    killedBy: {
      file: 'src/helm/awaited-object.test.ts',
      test: 'P10 an object that another release had P21 and stands is a conflict for good, as helm 4.1.4 tells of it',
    },
  },
  {
    id: 'passing-object-that-goes-is-a-conflict-with-argocd',
    promise: 'P10',
    file: 'src/backends/argocd/refuse-foreign.ts',
    search: 'if (isTerminating(object)) throw',
    replace: 'if (isTerminating(object) && release.adopt) throw',
    killedBy: {
      file: 'src/backends/argocd/deliver.test.ts',
      test: 'a delivery by Argo CD P10 waits for an object that another Application had, and that is going',
    },
  },
  {
    id: 'passing-object-that-goes-fails-with-flux',
    promise: 'P10',
    file: 'src/backends/flux/observe.ts',
    search: 'return { ...observation, failure: { code, message }, message };',
    replace: 'return { ...observation, message: `${code} ${message}` };',
    killedBy: {
      file: 'src/backends/flux/observe.test.ts',
      test: 'observing a release of Flux P10 a failure over an object that another release had and that is going is another try',
    },
  },
  {
    id: 'passing-hook-that-goes-is-a-conflict',
    promise: 'P10',
    file: 'src/helm/foreign-hooks.ts',
    search: 'if (isTerminating(live)) throw',
    replace: 'if (isTerminating(live) && release.adopt) throw',
    killedBy: {
      file: 'src/helm/foreign-hooks.test.ts',
      test: 'P21 what has the name of a hook a Job that somebody made by hand, and that is going',
    },
  },
  {
    id: 'passing-object-of-a-release-that-stands-is-taken-for-gone',
    promise: 'P10',
    file: 'src/domain/decide/restore.ts',
    search: "return observation.uninstalling !== true && delivery.kind !== 'running';",
    replace: "return delivery.kind !== 'running';",
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'an upgrade that fails P10 a new component whose uninstall a controller has yet to do is waited for',
    },
  },
  {
    id: 'passing-object-is-awaited-without-end',
    promise: 'P9',
    file: 'src/domain/decide/restore.ts',
    search: "if (decision.kind === 'act' || isDraining(walk, target)) startRemoval(walk, target);",
    replace: "if (decision.kind === 'act') startRemoval(walk, target);",
    killedBy: {
      file: 'test/scenario/decide/rollback.test.ts',
      test: 'an upgrade that fails P10 a new component whose uninstall a controller has yet to do is waited for',
    },
  },
  {
    id: 'passing-object-is-taken-for-gone-while-flux-is-held-back',
    promise: 'P10',
    file: removalState,
    search: "{ ...state('draining', sayHolding(facts, tools.clock.now())), uninstalling: true }",
    replace: "state('draining', sayHolding(facts, tools.clock.now()))",
    killedBy: {
      file: fluxUninstallTest,
      test: 'changes the record only once helm-controller is held back, so that none of its turns upgrades over it',
    },
  },
  {
    id: 'passing-object-is-taken-for-gone-while-flux-uninstalls',
    promise: 'P10',
    file: removalState,
    search: "{ ...state('draining', sayUninstalling(facts, object)), uninstalling: true }",
    replace: "state('draining', sayUninstalling(facts, object))",
    killedBy: {
      file: fluxUninstallTest,
      test: 'waits for a HelmRelease that somebody else deletes, and for whoever holds it',
    },
  },
  {
    id: 'passing-object-of-a-later-wave-is-taken-for-gone',
    promise: 'P10',
    file: 'src/backends/argocd/remains.ts',
    search: '...(isStanding ? { uninstalling: true } : {}),',
    replace: '',
    killedBy: {
      file: 'src/backends/argocd/uninstall.test.ts',
      test: 'goes wave by wave, the last one first',
    },
  },
];
