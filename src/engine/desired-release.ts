import type { RevisionComponent } from '../api/package-revision.ts';
import type { DesiredRelease, ReleaseTarget } from '../ports/backend.ts';

/** What a delivery has beside what the revision says of the component. */
type DeliveryFacts = Required<Pick<DesiredRelease, 'token' | 'chart' | 'values' | 'adopt' | 'timeoutMs' | 'rollback'>> &
  Pick<DesiredRelease, 'hookSince'>;

/** What a backend is given to deliver, by the operator as by a plan. */
export function desiredRelease(
  target: ReleaseTarget,
  component: RevisionComponent,
  { token, chart, values, adopt, rollback, timeoutMs, hookSince }: DeliveryFacts,
): DesiredRelease {
  return {
    ...target,
    token,
    digest: component.digest ?? '',
    chart,
    values,
    adopt,
    skipSchemaValidation: component.skipSchemaValidation ?? false,
    recreate: component.recreate ?? 'FinishedJobs',
    upgradeCRDs: component.upgradeCRDs ?? 'Skip',
    rollback,
    timeoutMs,
    hookSince,
    healthCheckExprs: component.healthCheckExprs,
    waitStrategy: component.waitStrategy,
  };
}
