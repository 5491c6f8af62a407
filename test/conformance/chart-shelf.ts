import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createChartServer } from '../../src/adapters/charts/chart-server.ts';
import type { FetchedChart } from '../../src/ports/artifacts.ts';
import type { Clock } from '../../src/ports/system.ts';
import { type FixtureChart, packFixtureChart } from '../build/fixture-chart.ts';
import { RecordingLog } from '../fakes/recording-log.ts';

/** Charts that the operator would serve to controllers, served by the real server. */
export interface ChartShelf {
  readonly url: string;
  /** Packs a chart of test/fixtures/charts, and serves it from now on. */
  add(chart: FixtureChart): Promise<FetchedChart>;
  close(): void;
}

export async function openChartShelf(folder: string, clock: Clock): Promise<ChartShelf> {
  const shelf = new Map<string, FetchedChart>();
  const charts = { find: (digest: string) => Promise.resolve(shelf.get(digest)) };
  const server = createChartServer({ charts, clock, log: new RecordingLog() });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${String(port)}/charts`,
    add: async (fixture) => {
      const chart = await packFixtureChart(folder, fixture);
      shelf.set(chart.digest, chart);
      return chart;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
