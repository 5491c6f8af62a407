import type { KubeObject } from '../../src/api/kube.ts';
import type {
  ClusterFacts,
  ComponentFacts,
  ObjectFacts,
  PlanFacts,
  PlannedComponent,
  PlannedPackage,
} from '../../src/domain/plan/predictions/facts.ts';
import { predict } from '../../src/domain/plan/predictions/predictions.ts';
import type { PredictedFinding } from '../../src/domain/plan/predictions/facts.ts';
import { parseYaml } from '../../src/lib/yaml.ts';

export function kubeObject(text: string): KubeObject {
  return parseYaml(text, 'object') as unknown as KubeObject;
}

export function plannedComponent(rest: Partial<PlannedComponent> = {}): PlannedComponent {
  return {
    name: 'store',
    releaseName: 'store',
    namespace: 'shop',
    hook: false,
    chart: {
      kind: 'chart',
      repository: 'oci://registry.example.org/charts',
      name: 'store',
      version: '1.0.0',
      digest: `sha256:${'0'.repeat(64)}`,
    },
    readyWhen: [],
    healthCheckExprs: [],
    recreate: 'FinishedJobs',
    skipSchemaValidation: false,
    upgradeCRDs: 'Skip',
    ...rest,
  };
}

export function componentFacts(
  objects: readonly ObjectFacts[],
  { component, ...rest }: Partial<Omit<ComponentFacts, 'component'>> & { component?: Partial<PlannedComponent> } = {},
): ComponentFacts {
  return { component: plannedComponent(component), objects, crds: [], recorded: [], ...rest };
}

interface Around extends Partial<Omit<PlanFacts, 'components' | 'package' | 'cluster'>> {
  readonly package?: Partial<PlannedPackage>;
  readonly cluster?: Partial<ClusterFacts>;
}

/** Of a package that is delivered with helm, in a cluster that serves every kind. */
export function planFacts(components: readonly ComponentFacts[], around: Around = {}): PlanFacts {
  const { package: pkg, cluster, ...rest } = around;
  return {
    package: { name: 'shop', rollbackSafe: false, crds: [], images: [], adopts: false, ...pkg },
    components,
    cluster: { unserved: [], crds: [], autoscalers: [], ...cluster },
    releases: { packages: {}, leaving: [] },
    managers: ['helm', 'kubepkg'],
    forcesConflicts: true,
    ...rest,
  };
}

export function findingsOf(components: readonly ComponentFacts[], around: Around = {}): readonly PredictedFinding[] {
  return predict(planFacts(components, around));
}

/** Codes and subjects of all findings but those that are merely worth knowing. */
export function alarms(findings: readonly PredictedFinding[]): readonly string[] {
  return findings.filter(({ severity }) => severity !== 'info').map(({ code, subject }) => `${code} ${subject}`);
}
