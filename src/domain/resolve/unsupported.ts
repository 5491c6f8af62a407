import { type DesiredComponent, type DesiredPackage, type Unresolvable, unresolvable } from './desired.ts';

/** What a package may declare and this version does not carry out: refused, since silence would be a promise. */
const CHECKS: readonly { readonly what: string; readonly declared: (component: DesiredComponent) => boolean }[] = [
  { what: 'install.upgradeCRDs other than Skip', declared: (component) => component.upgradeCRDs !== 'Skip' },
];

export function findUnsupported(desired: Pick<DesiredPackage, 'components' | 'hooks'>): Unresolvable | undefined {
  for (const component of [...desired.components, ...desired.hooks]) {
    const check = CHECKS.find((candidate) => candidate.declared(component));
    if (check !== undefined) {
      return unresolvable(
        'InvalidConfiguration',
        `component ${component.name}: ${check.what} is not carried out by this version of kubepkg`,
      );
    }
  }
  return undefined;
}
