import { type KubeObject, refOf } from '../../../api/kube.ts';
import { asArray, asString, at } from '../../../lib/json.ts';
import { subjectOf } from './each-object.ts';
import type { ComponentFacts, CrdFacts, Foreseen, PlanFacts } from './facts.ts';
import { fieldNamed, fieldsSet } from './settings.ts';

/** CRDs that would lose a version in which objects are stored. */
export function findLostVersions(facts: PlanFacts): readonly Foreseen[] {
  return facts.components.flatMap((owner) =>
    writtenCrds(owner).flatMap(({ wanted, live }) => {
      const kept = versionsOf(wanted);
      const lost = asArray(at(live, 'status', 'storedVersions')).filter((version) => !kept.includes(String(version)));
      if (lost.length === 0) return [];
      return [
        {
          subject: subjectOf(owner, refOf(wanted)),
          message: `would lose version ${lost.join(', ')}, in which objects are stored`,
          remedy: 'store all objects in a version that stays, and take the old one from status.storedVersions',
        },
      ];
    }),
  );
}

/** CRDs of a crds folder that differ from those of the cluster, and stay as they are. */
export function findCrdsLeft(facts: PlanFacts): readonly Foreseen[] {
  return facts.components.flatMap((owner) => {
    const { upgradeCRDs } = owner.component;
    if (upgradeCRDs === 'CreateReplace') return [];
    return owner.crds.filter(differs).map(({ wanted }) => ({
      subject: subjectOf(owner, refOf(wanted)),
      message: `differs from the one of the chart and will NOT be upgraded (policy ${upgradeCRDs})`,
      remedy: 'set install.upgradeCRDs: CreateReplace, or upgrade the CRD by hand before',
    }));
  });
}

/** CRDs that the package brings, and does not say it owns. */
export function findUndeclaredCrds(facts: PlanFacts): readonly Foreseen[] {
  const declared = new Set(facts.package.crds);
  return facts.components.flatMap((owner) =>
    broughtCrds(owner)
      .filter(({ metadata }) => !declared.has(metadata.name))
      .map((crd) => ({
        subject: subjectOf(owner, refOf(crd)),
        message: `is brought by the package, and its source does not list it in spec.crds: another package may claim it`,
        remedy: `add ${crd.metadata.name} to spec.crds of the PackageSource`,
      })),
  );
}

/** All CRDs of a component, wherever its chart has them. */
export function broughtCrds(owner: ComponentFacts): readonly KubeObject[] {
  return [...owner.crds.map(({ wanted }) => wanted), ...owner.objects.map(({ after }) => after).filter(isCrd)];
}

/** Those that are written over the ones of the cluster. */
export function writtenCrds({ component, crds, objects }: ComponentFacts): readonly CrdFacts[] {
  const replaced = component.upgradeCRDs === 'CreateReplace' ? crds : [];
  const rendered = objects.filter(({ after }) => isCrd(after)).map(({ after, live }) => ({ wanted: after, live }));
  return [...replaced, ...rendered];
}

function differs({ wanted, live }: CrdFacts): boolean {
  return live !== undefined && fieldsSet(live['spec'], wanted['spec'], fieldNamed('spec')).length > 0;
}

function versionsOf(crd: KubeObject): readonly string[] {
  return asArray(at(crd, 'spec', 'versions')).map((version) => asString(at(version, 'name')) ?? '');
}

export function isCrd({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}

export function definesKind(crd: KubeObject, { apiVersion, kind }: { apiVersion: string; kind: string }): boolean {
  const group = apiVersion.replace(/\/.*/, '');
  return at(crd, 'spec', 'group') === group && at(crd, 'spec', 'names', 'kind') === kind;
}
