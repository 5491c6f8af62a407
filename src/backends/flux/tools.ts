import type { ChartLocator } from '../../helm/chart-location.ts';
import type { ChartTools } from '../../helm/tools.ts';
import type { Clock } from '../../ports/system.ts';
import type { FluxOptions } from './translate.ts';

/** What the steps of the Flux backend share. */
export interface FluxTools extends ChartTools {
  readonly clock: Clock;
  readonly charts: ChartLocator;
  readonly options: FluxOptions;
}
