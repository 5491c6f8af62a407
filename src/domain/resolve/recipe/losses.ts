import type { DesiredPackage } from '../desired.ts';

/** What a package says that only kubepkg carries out, and plain objects do not. */
export function lossesOf(desired: DesiredPackage): readonly string[] {
  const named = (names: readonly string[]): string => names.join(', ');
  const awaited = desired.components.filter(({ readyWhen }) => readyWhen.length > 0).map(({ name }) => name);
  const hooks = desired.hooks.map(({ name }) => name);
  const required = desired.requires.map((each) => each.package ?? each.capability ?? '');
  return [
    ...(hooks.length === 0 ? [] : [`hooks do not run before upgrades: ${named(hooks)}`]),
    ...(awaited.length === 0 ? [] : [`nothing waits for readyWhen of ${named(awaited)}`]),
    ...(required.length === 0 ? [] : [`nothing checks that ${named(required)} are there`]),
    'nothing is rolled back as a whole, and no revision is kept',
  ];
}
