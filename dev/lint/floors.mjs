/**
 * The floors of src/, bottom to top: the one table that eslint, dependency-cruiser and the architecture test read.
 * A room may import itself and what lies below it; rooms of one step are blind to one another. `/*` makes every
 * subfolder a room of its own; a file may be a room too. Steps order the rooms inside a floor. Tests may look sideways, never up.
 */
export const FLOORS = [
  { floor: 0, steps: [['lib']], packages: ['@marcbachmann/cel-js', 'js-yaml', 're2js'], builtins: ['node:crypto'] },
  { floor: 1, steps: [['api']], packages: ['zod'], builtins: [] },
  {
    floor: 2,
    steps: [
      ['domain/resolve', 'domain/ordering', 'domain/readiness'],
      ['domain/release'],
      ['domain/decide'],
      ['domain/plan'],
      ['domain/status'],
    ],
    packages: [],
    builtins: [],
  },
  { floor: 3, steps: [['ports']], packages: [], builtins: [] },
  {
    floor: 4,
    steps: [['helm'], ['engine', 'backends/*', 'adapters/*', 'embedded']],
    packages: { helm: ['js-yaml'], 'adapters/*': ['js-yaml', 'prom-client', 'tar'] },
    builtins: { helm: 'all', 'backends/*': 'all', 'adapters/*': 'all', embedded: 'all' },
  },
  { floor: 5, steps: [['compose']], packages: [], builtins: 'all' },
  {
    floor: 6,
    steps: [['cli', 'operator']],
    packages: ['commander', '@commander-js/extra-typings', 'js-yaml'],
    builtins: 'all',
  },
  { floor: 7, steps: [['main.ts']], packages: [], builtins: 'all' },
];

/** Only these may choose an implementation; everything else above floor 4 is handed one. */
export const PICKERS = ['compose'];

/** Rooms that only some others on their own floor may use: how releases are delivered is nobody else's concern. */
const RESERVED = { helm: 'backends/' };

const ROOMS = FLOORS.flatMap(({ floor, steps, packages, builtins }) =>
  steps.flatMap((patterns, step) =>
    patterns.map((pattern) => ({
      pattern,
      matcher: matcherOf(pattern),
      floor,
      step,
      packages: pick(packages, pattern, []),
      builtins: pick(builtins, pattern, []),
    })),
  ),
);

function pick(perRoom, pattern, otherwise) {
  if (Array.isArray(perRoom) || perRoom === 'all') return perRoom;
  return perRoom[pattern] ?? otherwise;
}

/** The room of a file given by its path from the project root, or undefined when it stands in none. */
export function roomOf(path) {
  for (const room of ROOMS) {
    const name = room.matcher.exec(path)?.[1];
    if (name !== undefined) return { ...room, name };
  }
  return undefined;
}

/** A pattern names a folder that holds the file somewhere, or the file itself. */
function matcherOf(pattern) {
  const name = pattern.replaceAll('.', '\\.').replace('*', '[^/]+');
  return new RegExp(`^src/(${name})${pattern.endsWith('.ts') ? '$' : '/'}`);
}

export function isTestFile(path) {
  return /\.test\.ts$/.test(path);
}

/** Why a file may not import another one of the project, or undefined when it may. Paths from the project root. */
export function judgeImport(from, to) {
  if (!from.startsWith('src/')) return undefined;
  if (!to.startsWith('src/')) return judgeOutside(from, to);
  const source = roomOf(from);
  const target = roomOf(to);
  if (source === undefined) return `${from} stands on no floor`;
  if (target === undefined) return `${to} stands on no floor`;
  return source.name === target.name ? undefined : judgeRooms(source, target, isTestFile(from));
}

function judgeRooms(source, target, isTest) {
  if (isAbove(target, source)) return `${source.name} is below ${target.name}: imports point down`;
  if (isTest) return undefined;
  const users = RESERVED[target.name];
  if (users !== undefined && source.floor === target.floor && !source.name.startsWith(users)) {
    return `${source.name} may not use ${target.name}: it is for ${users}* alone`;
  }
  if (!isAbove(source, target)) return `${source.name} and ${target.name} share a floor and are blind to one another`;
  if (target.name.startsWith('backends/') && !PICKERS.includes(source.name)) {
    return `${source.name} may not choose ${target.name}: only ${PICKERS.join(', ')} picks implementations`;
  }
  return undefined;
}

function judgeOutside(from, to) {
  if (isTestFile(from)) return undefined;
  return `${to} is not part of the product`;
}

function isAbove(room, other) {
  return room.floor > other.floor || (room.floor === other.floor && room.step > other.step);
}

/** Why a file may not import a package or a Node module, or undefined when it may. */
export function judgePackage(from, specifier) {
  const room = roomOf(from);
  if (room === undefined || isTestFile(from)) return undefined;
  if (specifier.startsWith('node:')) {
    if (room.builtins === 'all' || room.builtins.includes(specifier)) return undefined;
    return `${room.name} may not use ${specifier}`;
  }
  const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
  if (room.packages.includes(name)) return undefined;
  return `${room.name} may not use the package ${name}`;
}
