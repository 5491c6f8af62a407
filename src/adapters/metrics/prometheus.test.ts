import { describe, expect, it } from 'vitest';
import { createMetrics } from './prometheus.ts';

const IDLE = { queued: 0, delivering: 0 };

/** Lines of our own metrics, buckets left out. */
async function page(metrics: ReturnType<typeof createMetrics>, load = IDLE): Promise<readonly string[]> {
  const { body } = await metrics.page(load);
  return body.split('\n').filter((line) => line.startsWith('kubepkg_') && !line.includes('_bucket{'));
}

describe('the metrics page', () => {
  it('names a package, its readiness, its version and its outcomes, the latter from 0 on', async () => {
    const metrics = createMetrics();
    metrics.setPackage({ name: 'app', ready: false, version: '1.0.0', revision: 1 });
    metrics.countRevision('app', 'applied');
    expect(await page(metrics)).toEqual([
      'kubepkg_package_ready{package="app"} 0',
      'kubepkg_package_info{package="app",version="1.0.0",revision="1"} 1',
      'kubepkg_revisions_total{package="app",outcome="applied"} 1',
      'kubepkg_revisions_total{package="app",outcome="failed"} 0',
      'kubepkg_revisions_total{package="app",outcome="rolled_back"} 0',
      'kubepkg_queue_depth 0',
      'kubepkg_deliveries_running 0',
    ]);
  });

  it('has one version of a package, the present one', async () => {
    const metrics = createMetrics();
    metrics.setPackage({ name: 'app', ready: false });
    metrics.setPackage({ name: 'app', ready: true, version: '1.0.0', revision: 1 });
    metrics.setPackage({ name: 'app', ready: true, version: '1.1.0', revision: 2 });
    const lines = await page(metrics);
    expect(lines.filter((line) => line.startsWith('kubepkg_package_'))).toEqual([
      'kubepkg_package_ready{package="app"} 1',
      'kubepkg_package_info{package="app",version="1.1.0",revision="2"} 1',
    ]);
  });

  it('keeps the counts of a package that is seen again', async () => {
    const metrics = createMetrics();
    metrics.setPackage({ name: 'app', ready: false });
    metrics.countRevision('app', 'failed');
    metrics.setPackage({ name: 'app', ready: true });
    expect(await page(metrics)).toContain('kubepkg_revisions_total{package="app",outcome="failed"} 1');
  });

  it('forgets a package that is gone, and what still comes of it', async () => {
    const metrics = createMetrics();
    metrics.setPackage({ name: 'app', ready: true, version: '1.0.0', revision: 1 });
    metrics.removePackage('app');
    metrics.removePackage('app');
    metrics.countRevision('app', 'failed');
    expect((await page(metrics)).join('\n')).not.toContain('app');
  });

  it('tells the load of the moment and how long turns take', async () => {
    const metrics = createMetrics();
    metrics.observeTurn({ result: 'settled', durationMs: 20 });
    metrics.observeTurn({ result: 'failed', durationMs: 1500 });
    const lines = await page(metrics, { queued: 3, delivering: 2 });
    expect(lines).toEqual(
      expect.arrayContaining([
        'kubepkg_turn_duration_seconds_sum{result="settled"} 0.02',
        'kubepkg_turn_duration_seconds_count{result="failed"} 1',
        'kubepkg_queue_depth 3',
        'kubepkg_deliveries_running 2',
      ]),
    );
  });

  it('is what Prometheus reads, with the numbers of the process in it', async () => {
    const { contentType, body } = await createMetrics().page(IDLE);
    expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(body).toContain('process_resident_memory_bytes');
    expect(body).toContain('# TYPE kubepkg_package_ready gauge');
  });
});
