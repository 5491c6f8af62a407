import type { Foreseen, PlanFacts } from './facts.ts';

/** A version that declares itself safe to go back from, and has hooks, whose work no rollback takes back. */
export function findSafeWithHooks({ package: pkg, components }: PlanFacts): readonly Foreseen[] {
  const hooks = components.filter(({ component }) => component.hook).map(({ component }) => component.name);
  if (!pkg.rollbackSafe || hooks.length === 0) return [];
  return [
    {
      subject: `package ${pkg.name}`,
      message: `declares rollback.safe: true and has hooks (${hooks.join(', ')}): a rollback undoes nothing that they did`,
      remedy: 'declare rollback.safe: false, unless the version before works with what the hooks leave behind',
    },
  ];
}
