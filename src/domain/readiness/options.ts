import type { ReadinessSwitches } from '../../api/readiness.ts';
import { DEFAULT_READINESS_OPTIONS, type ReadinessOptions } from './verdict.ts';

/** The switches of a component with their defaults; a hook's Jobs have to complete, whatever it declares. */
export function resolveReadinessOptions(
  switches: ReadinessSwitches,
  component: { readonly isHook: boolean },
): ReadinessOptions {
  const defaults = DEFAULT_READINESS_OPTIONS;
  return {
    loadBalancer: switches.loadBalancer ?? defaults.loadBalancer,
    notReadyNodes: switches.notReadyNodes ?? defaults.notReadyNodes,
    jobs: component.isHook ? 'Complete' : (switches.jobs ?? defaults.jobs),
  };
}
