import { join } from 'node:path';
import { markChart, writeTree } from '../charts.ts';
import { runHelm } from '../run-helm.ts';
import type { Ground } from './backend.ts';

export interface PublishedChart {
  /** Of the registry. */
  readonly host: string;
  readonly path: string;
  readonly version: string;
}

/** The chart `mark` in the registry, for releases that somebody else makes of it. */
export async function publishMark({ plane, dir }: Pick<Ground, 'plane' | 'dir'>): Promise<PublishedChart> {
  const folder = await writeTree(dir, { mark: markChart() });
  await runHelm({ plane }, ['package', join(folder, 'mark'), '--destination', folder]);
  const [host, path] = [plane.registry?.host ?? '', 'by-hand'];
  await runHelm({ plane }, [
    'push',
    join(folder, 'mark-1.0.0.tgz'),
    `oci://${host}/${path}`,
    '--ca-file',
    plane.caFile,
  ]);
  return { host, path, version: '1.0.0' };
}
