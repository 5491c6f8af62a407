import type { ChartRef } from '../../api/chart-ref.ts';
import type { RevisionComponent } from '../../api/package-revision.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { componentsOf } from '../decide/views.ts';
import type { World } from '../decide/world.ts';
import { type PreparedChart, recordedChart } from '../release/snapshot.ts';
import type { DesiredComponent } from '../resolve/desired.ts';

/** Stands for the digest of a chart that nobody has fetched yet. */
export const UNKNOWN_CHART = 'sha256:unknown';

/** The charts of what is wanted: those that are known, and for the others what the same reference had when it ran last. */
export function chartsOf(
  world: World,
  known: Readonly<Record<string, PreparedChart>> = {},
): Readonly<Record<string, PreparedChart>> {
  const { resolution } = world;
  if (resolution?.kind !== 'resolved') return known;
  const { hooks, components } = resolution.desired;
  const charts = [...hooks, ...components].map(
    (component) => [component.name, known[component.name] ?? assumed(world, component)] as const,
  );
  return { ...known, ...Object.fromEntries(charts) };
}

function assumed(world: World, { name, chart }: DesiredComponent): PreparedChart {
  for (const revision of world.revisions.toReversed()) {
    const former = componentsOf(revision).find((component) => component.name === name);
    const recorded = former === undefined ? undefined : recordedAs(former, chart);
    if (recorded !== undefined) return recorded;
  }
  return { ref: chart, digest: chart.digest ?? UNKNOWN_CHART };
}

function recordedAs(former: RevisionComponent, wanted: ChartRef): PreparedChart | undefined {
  const ref = recordedChart(former);
  if (ref === undefined || former.chartDigest === '') return undefined;
  return stableJson(bare(ref)) === stableJson(bare(wanted)) ? { ref, digest: former.chartDigest } : undefined;
}

/** As it is written, before anything of it is known. */
function bare(ref: ChartRef): unknown {
  const { digest: _pinned, ...rest } = ref;
  if (rest.kind === 'chart') return rest;
  const { treeDigest: _tree, ...tree } = rest;
  return tree;
}
