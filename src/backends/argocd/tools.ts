import type { ChartLocator } from '../../helm/chart-location.ts';
import type { ChartTools } from '../../helm/tools.ts';
import type { Clock } from '../../ports/system.ts';

export interface ArgoCdOptions {
  /** Where Applications are. */
  readonly namespace: string;
  /** The AppProject that they belong to. */
  readonly project: string;
  /** Values that come from a Secret may be written into an Application, in clear. */
  readonly inlineSecretValues: boolean;
}

/** What the steps of the Argo CD backend share. */
export interface ArgoCdTools extends ChartTools {
  readonly clock: Clock;
  readonly charts: ChartLocator;
  readonly options: ArgoCdOptions;
}
