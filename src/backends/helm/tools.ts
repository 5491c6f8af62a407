import type { ChartTools } from '../../helm/tools.ts';

/** What the steps of the Helm backend share. */
export interface HelmTools extends ChartTools {
  readonly historyMax: number;
}
