import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveFile } from '../adapters/oci/archive.ts';
import { inspectChart } from '../adapters/oci/chart-inspection.ts';
import { CHART_LIMITS, TREE_LIMITS } from '../adapters/oci/limits.ts';
import { pack, type Packed } from '../adapters/oci/pack.ts';
import { chartFromTree } from '../adapters/oci/tree-chart.ts';
import type { TreeChartRef } from '../api/chart-ref.ts';
import type { FetchedChart } from '../ports/artifacts.ts';
import type { Workshop } from './author-workshop.ts';

/** A tree as it would be pushed. */
export interface PackedTree extends Packed {
  readonly path: string;
}

export async function packTree(files: readonly ArchiveFile[], workshop: Workshop): Promise<PackedTree> {
  const path = join(workshop.scratch, `${randomUUID()}.tree.tgz`);
  return { ...(await pack(files, { path, limits: TREE_LIMITS, subject: 'the package tree' })), path };
}

/** A chart of a tree, made exactly as the operator makes it of one that was pushed. */
export async function chartOfTree(tree: PackedTree, ref: TreeChartRef, workshop: Workshop): Promise<FetchedChart> {
  const subject = `chart ${ref.path}`;
  const path = join(workshop.scratch, `${randomUUID()}.tgz`);
  const { digest } = await pack(await chartFromTree(tree.path, ref), { path, limits: CHART_LIMITS, subject });
  const chart = await inspectChart(path, subject);
  return { ref: { ...ref, digest }, digest, path, ...chart, sizeBytes: (await stat(path)).size };
}
