import type { SetDefaults } from './absent.ts';
import { CORE_DEFAULTS } from './defaults-core.ts';
import { POD_DEFAULTS } from './defaults-pod.ts';
import { POLICY_DEFAULTS } from './defaults-policy.ts';
import { WORKLOAD_DEFAULTS } from './defaults-workloads.ts';

/** By the Go type, as Kubernetes has them in pkg/apis/GROUP/VERSION/defaults.go. */
export const DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  ...CORE_DEFAULTS,
  ...POD_DEFAULTS,
  ...POLICY_DEFAULTS,
  ...WORKLOAD_DEFAULTS,
};
