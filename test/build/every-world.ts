import type { Requirement } from '../../src/api/package-source.ts';
import { versionSatisfies } from '../../src/domain/resolve/check-version.ts';
import type { InstalledPackage, OfferedVersion, VersionRequest } from '../../src/domain/resolve/solve/request.ts';
import { compareVersions, parseVersion } from '../../src/lib/semver/version.ts';

/** What could be: a version of each package that is there. Kept: what runs, as it is. */
export type World = ReadonlyMap<string, Taken>;

export interface Taken {
  readonly version: string;
  readonly kept: boolean;
}

type Parts = Pick<OfferedVersion, 'provides' | 'conflicts'> & { readonly requires: readonly Requirement[] };

/** All of them, by trying: for questions of a few packages, each version offered once. */
export function everyWorld(request: VersionRequest): readonly World[] {
  const names = [...new Set([...request.offers, ...request.installed, ...request.asked].map(({ name }) => name))];
  let worlds: readonly World[] = [new Map()];
  for (const name of names) {
    worlds = worlds.flatMap((world) =>
      optionsOf(request, name).map((taken) => (taken === undefined ? world : new Map([...world, [name, taken]]))),
    );
  }
  return worlds;
}

function optionsOf(request: VersionRequest, name: string): readonly (Taken | undefined)[] {
  const running = runningOf(request, name);
  const asked = request.asked.find((one) => one.name === name);
  const versions = request.offers.filter((one) => one.name === name).map(({ version = '' }) => version);
  const taken = versions.map((version) => ({ version, kept: version === running?.version }));
  if (running?.version === undefined) return [undefined, ...taken];
  const isHeld = asked?.followsOffer !== true && !versions.includes(running.version);
  const all = isHeld ? [...taken, { version: running.version, kept: true }] : taken;
  return asked === undefined ? all : [undefined, ...all];
}

function runningOf(request: VersionRequest, name: string): InstalledPackage | undefined {
  return request.installed.find((one) => one.name === name);
}

export function isKept(world: World, name: string): boolean {
  return world.get(name)?.kept === true;
}

/** Everything that a world does wrong; what runs, changed by nobody and already wrong, is not held against it. */
export function violations(request: VersionRequest, world: World): readonly string[] {
  return [
    ...request.asked.filter(({ name }) => !world.has(name)).map(({ name }) => `${name} is missing`),
    ...[...world].flatMap(([name, taken]) => [
      ...ownFaults(request, name, taken),
      ...partsOf(request, name, taken).requires.flatMap((one) => requirementFault({ request, world, name, one })),
      ...conflictFaults(request, world, name),
    ]),
  ];
}

function ownFaults(request: VersionRequest, name: string, { version, kept }: Taken): readonly string[] {
  const { version: running = '', constraint } = runningOf(request, name) ?? {};
  const wanted = request.asked.find((one) => one.name === name)?.constraint;
  const isAccepted = wanted !== undefined || kept || versionSatisfies(constraint, version);
  return [
    ...(versionSatisfies(wanted, version) ? [] : [`${name} is not as asked`]),
    ...(isAccepted ? [] : [`${name} is not accepted`]),
    ...(goesBack({ version, running, wanted }) ? [`${name} goes back`] : []),
  ];
}

interface Move {
  readonly version: string;
  readonly running: string;
  readonly wanted: string | undefined;
}

function goesBack({ version, running, wanted }: Move): boolean {
  if (running === '' || compare(version, running) >= 0) return false;
  return wanted === undefined || versionSatisfies(wanted, running);
}

interface Case {
  readonly request: VersionRequest;
  readonly world: World;
  readonly name: string;
  readonly one: Requirement;
}

function requirementFault({ request, world, name, one }: Case): readonly string[] {
  const isMet = (there: World): boolean => isRequirementMet(request, there, one);
  if (isMet(world)) return [];
  const fault = [`${name} requires ${JSON.stringify(one)}`];
  const isResting = !request.asked.some((each) => each.name === name) && isKept(world, name);
  const now = worldNow(request);
  if (!isResting || isMet(now)) return fault;
  if (one.package === undefined) return [];
  const options = optionsOf(request, one.package).flatMap((taken) => taken ?? []);
  const couldBe = options.some(({ version }) => versionSatisfies(one.version, version));
  const isAsNow = world.get(one.package)?.version === now.get(one.package)?.version;
  return couldBe && !isAsNow ? fault : [];
}

function worldNow(request: VersionRequest): World {
  return new Map(
    request.installed.flatMap(({ name, version }) => (version === undefined ? [] : [[name, { version, kept: true }]])),
  );
}

function isRequirementMet(request: VersionRequest, world: World, one: Requirement): boolean {
  const { package: target, capability = '', version, optional = false } = one;
  if (target !== undefined) {
    const taken = world.get(target);
    return taken === undefined ? optional : versionSatisfies(version, taken.version);
  }
  if (optional) return true;
  return [...world].some(([name, taken]) => provides(request, [name, taken], capability));
}

function conflictFaults(request: VersionRequest, world: World, name: string): readonly string[] {
  const taken = world.get(name);
  if (taken === undefined) return [];
  const isResting = (one: string): boolean => !request.asked.some((each) => each.name === one) && isKept(world, one);
  return partsOf(request, name, taken).conflicts.flatMap((conflict) =>
    [...world]
      .filter(([other, there]) => other !== name && provides(request, [other, there], conflict))
      .filter(([other]) => !(isResting(name) && isResting(other)))
      .map(([other]) => `${name} conflicts with ${other}`),
  );
}

function provides(request: VersionRequest, [name, taken]: readonly [string, Taken], capability: string): boolean {
  return name === capability || partsOf(request, name, taken).provides.includes(capability);
}

/** What is on offer at the version that runs takes its place. */
function partsOf(request: VersionRequest, name: string, { version }: Taken): Parts {
  const offer = request.offers.find((one) => one.name === name && one.version === version);
  const running = runningOf(request, name);
  const none = { requires: [], provides: [], conflicts: [] };
  return offer === undefined ? (running ?? none) : { ...offer, requires: offer.variants[0]?.requires ?? [] };
}

/** How good a world is, smaller is better: what is asked for by age, then what runs by whether it stays. */
export function ranksOf(request: VersionRequest, world: World): readonly number[] {
  const asked = [...request.asked].sort(byName);
  const resting = request.installed.filter(({ name }) => !asked.some((one) => one.name === name)).sort(byName);
  return [
    ...asked.map(({ name, constraint }) => {
      const wanted = constraint ?? runningOf(request, name)?.constraint ?? '';
      const options = optionsOf(request, name).flatMap((taken) => taken ?? []);
      const order = options.map(({ version }) => version).sort((a, b) => compareForTaking(a, b, wanted));
      return order.indexOf(world.get(name)?.version ?? '');
    }),
    ...resting.map(({ name }) => (isKept(world, name) ? 0 : 1)),
  ];
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function compareForTaking(a: string, b: string, wanted: string): number {
  const isLate = (version: string): number => Number(version.includes('-') && !wanted.includes('-'));
  return isLate(a) - isLate(b) || compare(b, a);
}

function compare(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (left.kind !== 'version' || right.kind !== 'version') throw new Error(`${a} or ${b} is no version`);
  return compareVersions(left.version, right.version);
}
