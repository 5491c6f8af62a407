import { FLOORS, PICKERS } from './dev/lint/floors.mjs';

const ROOMS = FLOORS.flatMap(({ floor, steps }) =>
  steps.flatMap((patterns, step) => patterns.map((pattern) => ({ pattern, level: floor * 100 + step }))),
);

const TESTS = '\\.test\\.ts$';

/** The path of a room; a subfolder that is a room of its own is captured. */
function pathOf(pattern) {
  return `^src/${pattern.replace('*', '([^/]+)')}${pattern.endsWith('.ts') ? '$' : '/'}`;
}

function anyOf(patterns) {
  return patterns.map(pathOf);
}

function pointDown({ pattern, level }) {
  const hidden = ROOMS.filter((room) => room.pattern !== pattern && room.level >= level).map((room) => room.pattern);
  if (hidden.length === 0) return [];
  return [
    { name: `${pattern} looks down`, severity: 'error', from: { path: pathOf(pattern) }, to: { path: anyOf(hidden) } },
  ];
}

function stayApart({ pattern }) {
  if (!pattern.endsWith('/*')) return [];
  const siblings = { path: anyOf([pattern]), pathNot: pathOf(pattern).replace('([^/]+)', '$1') };
  return [
    {
      name: `${pattern} are blind to one another`,
      severity: 'error',
      from: { path: pathOf(pattern), pathNot: TESTS },
      to: siblings,
    },
  ];
}

export default {
  forbidden: [
    ...ROOMS.flatMap(pointDown),
    ...ROOMS.flatMap(stayApart),
    {
      name: 'one place picks backends',
      severity: 'error',
      from: { path: '^src/', pathNot: `^src/(backends|${PICKERS.join('|')})/` },
      to: { path: '^src/backends/' },
    },
    { name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'nothing unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'the product does not need its tests or tools',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { path: ['^(test|dev|bench)/', TESTS] },
    },
    {
      name: 'the product needs packages that users get',
      severity: 'error',
      from: { path: '^src/', pathNot: TESTS },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
