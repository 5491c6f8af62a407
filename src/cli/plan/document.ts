import { API_VERSION } from '../../api/names.ts';
import type { PlanResult } from '../../compose/planning.ts';
import type { PackagePlan } from '../../domain/plan/plan.ts';

export type NumberedStep = { readonly number: number } & PackagePlan['steps'][number];

/** One package, in the form that scripts read. */
export type PackageDocument = Omit<PackagePlan, 'steps'> & { readonly steps: readonly NumberedStep[] };

/** What `kubepkg plan -o json` prints. Fields are only ever added. */
export interface PlanDocument {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: 'Plan';
  /** UID of what lasts as long as the cluster, the namespace kube-system first; empty where nothing of it may be read. */
  readonly cluster: string;
  /** In the order in which they would begin. */
  readonly packages: readonly PackageDocument[];
}

export function planDocument({ cluster, packages }: PlanResult): PlanDocument {
  return { apiVersion: API_VERSION, kind: 'Plan', cluster, packages: packages.map(numbered) };
}

function numbered(plan: PackagePlan): PackageDocument {
  return { ...plan, steps: plan.steps.map((step, index) => ({ number: index + 1, ...step })) };
}
