import { KubepkgError } from '../../api/errors.ts';
import { type Failure, FAILURE_KINDS, type FailureKind } from '../../compose/rehearsal/failure.ts';
import type { DesiredComponent, DesiredPackage } from '../../domain/resolve/desired.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';

/** `COMPONENT` or `COMPONENT=KIND`. */
export function parseFailure(word: string, desired: DesiredPackage): Failure {
  const [name = '', said] = word.split('=', 2);
  const component = partsOf(desired).find((part) => part.name === name);
  if (component === undefined) {
    const names = partsOf(desired).map((part) => part.name);
    throw new KubepkgError('InvalidInput', `--fail ${word}: package ${desired.package} has no component ${name}`, {
      hint: didYouMeanHint(name, names, `it has ${names.join(', ')}`),
    });
  }
  const kind = said === undefined ? usualFailure(component) : FAILURE_KINDS.find((each) => each === said);
  if (kind === undefined) {
    throw new KubepkgError('InvalidInput', `--fail ${word}: ${said ?? ''} is no way to fail`, {
      hint: `write one of ${FAILURE_KINDS.join(', ')}`,
    });
  }
  if (kind === 'hook' && !component.hook) {
    throw new KubepkgError('InvalidInput', `--fail ${word}: ${name} is no hook`, {
      hint: 'only a component with install.phase PreUpgrade can fail as a hook; write never-ready, crash or render',
    });
  }
  return failureOf(component, kind);
}

/** Each part of the package, failing in the way that is usual for it. */
export function usualFailures(desired: DesiredPackage): readonly Failure[] {
  return partsOf(desired).map((component) => failureOf(component, usualFailure(component)));
}

function partsOf({ hooks, components }: DesiredPackage): readonly DesiredComponent[] {
  return [...hooks, ...components];
}

function usualFailure({ hook }: DesiredComponent): FailureKind {
  return hook ? 'hook' : 'never-ready';
}

function failureOf({ name, namespace, releaseName }: DesiredComponent, kind: FailureKind): Failure {
  return { component: name, namespace, releaseName, kind };
}
