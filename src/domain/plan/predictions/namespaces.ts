import { subjectOf } from './each-object.ts';
import type { ComponentFacts, Foreseen, PlanFacts } from './facts.ts';

/** Namespaces that a component writes to, and no component of the package is installed in. */
export function findForeignNamespaces(facts: PlanFacts): readonly Foreseen[] {
  return foreignNamespaces(facts)
    .filter(({ namespace }) => exists(namespace, facts))
    .map(({ owner, namespace, kinds }) => ({
      subject: subjectOf(owner),
      message: `writes to namespace ${namespace}, which is not the package's: ${kinds.join(', ')}`,
      remedy: 'see that whoever has the namespace agrees; the objects go with the release',
    }));
}

/** Those that nobody makes. */
export function findMissingNamespaces(facts: PlanFacts): readonly Foreseen[] {
  return foreignNamespaces(facts)
    .filter(({ namespace }) => !exists(namespace, facts))
    .map(({ owner, namespace, kinds }) => ({
      subject: subjectOf(owner),
      message: `writes to namespace ${namespace}, which does not exist and is not made by the package: ${kinds.join(', ')}`,
      remedy: `make the namespace, or require the package that makes it`,
    }));
}

interface Written {
  readonly owner: ComponentFacts;
  readonly namespace: string;
  readonly kinds: readonly string[];
}

function foreignNamespaces({ components }: PlanFacts): readonly Written[] {
  const own = new Set([
    ...components.map(({ component }) => component.namespace),
    ...components.flatMap(({ objects }) =>
      objects.filter(({ after }) => isNamespace(after)).map(({ after }) => after.metadata.name),
    ),
  ]);
  return components.flatMap((owner) => {
    const written = owner.objects.map(({ after }) => ({ kind: after.kind, namespace: after.metadata.namespace ?? '' }));
    const foreign = [...new Set(written.map(({ namespace }) => namespace))].filter(
      (name) => name !== '' && !own.has(name),
    );
    return foreign.sort().map((namespace) => {
      const kinds = written.filter((each) => each.namespace === namespace).map(({ kind }) => kind);
      return { owner, namespace, kinds: [...new Set(kinds)].sort() };
    });
  });
}

function exists(namespace: string, { cluster }: PlanFacts): boolean {
  return cluster.namespaces === undefined || cluster.namespaces.includes(namespace);
}

function isNamespace({ apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  return apiVersion === 'v1' && kind === 'Namespace';
}
