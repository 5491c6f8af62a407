import type { Mutant } from '../mutant.ts';

const crds = 'src/domain/decide/crds.ts';
const crdsTest = 'src/domain/decide/crds.test.ts';
const engineCrdsTest = 'src/engine/crds.test.ts';
const engineCrds = 'src/engine/crds.ts';
const crdChangesTest = 'src/engine/crd-changes.test.ts';
const crdBook = 'src/engine/crd-book.ts';
const crdBookTest = 'src/engine/crd-book.test.ts';
const namespacesTest = 'src/engine/namespaces.test.ts';
const namespaces = 'src/engine/namespaces.ts';

/** Faults in what becomes of CustomResourceDefinitions and namespaces. */
export const SURROUNDINGS: readonly Mutant[] = [
  {
    id: 'crds-of-another-package-are-taken',
    promise: 'P21',
    file: crds,
    search: 'const taken = crds.crds.find((crd) => listed.has(crd.name) && crd.isDeclaredByOwner);',
    replace: 'const taken = crds.crds.find((crd) => listed.has(crd.name) && crd.uid === crd.owner);',
    killedBy: {
      file: crdsTest,
      test: 'P21 the start of a revision that lists a CRD waits while another package owns and declares it',
    },
  },
  {
    id: 'crds-pass-on-after-the-delivery',
    promise: 'P21',
    file: 'src/domain/decide/drive-revision.ts',
    search: 'const passing = walk.yielding ? undefined : handOverCrds(walk.world, walk.revision);',
    replace: 'const passing: Decision | undefined = undefined;',
    killedBy: {
      file: engineCrdsTest,
      test: 'the CRDs of a package P21 that another package owns pass on, protected, before anything is delivered once its source gives them up',
    },
  },
  {
    id: 'crds-pass-on-unprotected',
    promise: 'I7',
    file: crds,
    search: 'return claim(passing, {\n    keep: true,',
    replace: 'return claim(passing, {\n    keep: false,',
    killedBy: {
      file: crdsTest,
      test: 'a CRD passes on before anything is delivered from an owner that has given it up',
    },
  },
  {
    id: 'crds-pass-to-and-fro',
    promise: 'P21',
    file: crds,
    search: 'return isLeft(world, crd) && isWanted(world, crd.name);',
    replace: 'return isLeft(world, crd);',
    killedBy: {
      file: crdsTest,
      test: 'an applied revision does not take it back and forth when its source gave it up as well',
    },
  },
  {
    id: 'crds-dropped-ones-stay-owned',
    promise: 'P20',
    file: crds,
    search: 'const dropped = ownedCrds(world).filter((crd) => !listed.includes(crd.name));',
    replace: 'const dropped = ownedCrds(world).filter((crd) => listed.length > 99);',
    killedBy: { file: crdsTest, test: 'an applied revision releases what it no longer lists' },
  },
  {
    id: 'crds-go-with-the-package',
    promise: 'I7',
    file: crds,
    search: "return world.package.spec.crdPolicy === 'Delete';",
    replace: "return world.package.spec.crdPolicy !== 'Delete';",
    killedBy: { file: crdsTest, test: 'an applied revision claims what it lists and nobody owns' },
  },
  {
    id: 'crds-delivery-before-they-are-read',
    promise: 'P21',
    file: crds,
    search: "if (listed.size > 0 && world.crds?.kind === 'unread') return unknownCrds(world.crds);",
    replace: '',
    killedBy: { file: crdsTest, test: 'a CRD passes on before anything is delivered and is looked for first' },
  },
  {
    id: 'crds-claimed-over-somebody-quicker',
    promise: 'I6',
    file: engineCrds,
    search: 'if (owner !== pkg && owner !== crd.from) return;',
    replace: '',
    killedBy: {
      file: engineCrdsTest,
      test: 'the CRDs of a package I6 are left to somebody who takes them in the same moment',
    },
  },
  {
    id: 'crds-released-though-not-ours',
    promise: 'I6',
    file: engineCrds,
    search: 'if (live === undefined || crdFact(live).owner !== pkg) return;\n  await mark',
    replace: 'if (live === undefined) return;\n  await mark',
    killedBy: {
      file: crdChangesTest,
      test: 'what is done to a CRD I6 one that another package has taken is not released',
    },
  },
  {
    id: 'crds-deleted-though-not-ours',
    promise: 'I6',
    file: engineCrds,
    search: 'if (live === undefined || crdFact(live).owner !== pkg) return;\n  const ref',
    replace: 'if (live === undefined) return;\n  const ref',
    killedBy: {
      file: engineCrdsTest,
      test: 'the CRDs of a package P20 of a package that is removed I6 are left where another one takes them in the same moment',
    },
  },
  {
    id: 'crds-another-object-of-the-name-is-marked',
    promise: 'I6',
    file: engineCrds,
    search: 'return live?.metadata.uid === uid ? live : undefined;',
    replace: 'return live;',
    killedBy: {
      file: crdChangesTest,
      test: 'what is done to a CRD I6 one that was made anew under the name is not claimed',
    },
  },
  {
    id: 'crds-marked-over-a-change',
    promise: 'I6',
    file: engineCrds,
    search: 'const patch = { metadata: { ...marks, resourceVersion } };',
    replace: 'const patch = { metadata: { ...marks } };',
    killedBy: {
      file: crdChangesTest,
      test: 'what is done to a CRD I6 one that somebody changes in the same moment is not marked over that',
    },
  },
  {
    id: 'crds-released-unprotected',
    promise: 'I7',
    file: engineCrds,
    search: "[ANNOTATION.ownedBy]: null, [ANNOTATION.helmKeep]: 'keep'",
    replace: '[ANNOTATION.ownedBy]: null',
    killedBy: {
      file: crdChangesTest,
      test: 'what is done to a CRD I7 one that was not protected stays all the same when it is released',
    },
  },
  {
    id: 'crds-late-event-is-believed',
    promise: 'R5',
    file: crdBook,
    search: 'if (this.#isOutdated(object)) return;',
    replace: '',
    killedBy: {
      file: crdBookTest,
      test: 'the book of CRDs believes what was written last, not what a watch tells late',
    },
  },
  {
    id: 'crds-watched-when-nobody-looks',
    promise: 'I9',
    file: crdBook,
    search: 'if (this.#listed.size === 0) this.stop();',
    replace: '',
    killedBy: { file: crdBookTest, test: 'the book of CRDs watches metadata alone, as long as somebody looks' },
  },
  {
    id: 'crds-wake-everybody',
    promise: 'I9',
    file: crdBook,
    search: 'if (stableJson(before ?? null) !== stableJson(fact)) this.#tell(before, fact);',
    replace: 'this.#tell(before, fact);',
    killedBy: {
      file: engineCrdsTest,
      test: 'the CRDs of a package do not wake anybody when they change in what says nothing of their owner',
    },
  },
  {
    id: 'crds-platform-values-are-not-awaited',
    promise: 'P3',
    file: 'src/domain/decide/surroundings.ts',
    search: "message === undefined ? crdObstacle(world, desired) : wait({ reason: 'RequirementsNotMet', message })",
    replace: 'message === null ? undefined : crdObstacle(world, desired)',
    killedBy: {
      file: 'src/engine/platform-values.test.ts',
      test: "the platform's values are waited for while the Secret is not there, without a failure and without telling what it holds",
    },
  },
  {
    id: 'crds-namespace-level-stays-for-ever',
    promise: 'P20',
    file: 'src/domain/decide/tidy.ts',
    search: 'putAway(world, applied) ?? restoreNamespace(world) ?? prune(world, applied);',
    replace: 'putAway(world, applied) ?? prune(world, applied);',
    killedBy: {
      file: namespacesTest,
      test: 'the namespaces of a package lose the level once no component needs it, looked at once',
    },
  },
  {
    id: 'crds-namespace-level-of-others-is-taken',
    promise: 'P21',
    file: namespaces,
    search: 'if (annotations[ANNOTATION.podSecurity] === undefined) return undefined;',
    replace: '',
    killedBy: { file: namespacesTest, test: 'the namespaces of a package keep a level that kubepkg did not set' },
  },
  {
    id: 'crds-namespace-labels-are-replaced',
    promise: 'P21',
    file: namespaces,
    search: 'Object.entries(labels).filter(([key]) => known[key] === undefined)',
    replace: 'Object.entries(labels)',
    killedBy: {
      file: namespacesTest,
      test: 'ensureNamespace the labels of the installation are added, and never change what is there',
    },
  },
  {
    id: 'crds-namespace-of-somebody-quicker-is-taken-for-ours',
    promise: 'P21',
    file: namespaces,
    search: 'return (await cluster.read(refTo(name))) ?? object;',
    replace: 'return object;',
    killedBy: {
      file: namespacesTest,
      test: 'ensureNamespace the namespace of a component P21 that somebody makes in the same moment keeps its labels',
    },
  },
];
