import { join } from 'node:path';
import { type ChartFiles, writeTree } from '../operator/charts.ts';
import { runHelm } from '../operator/run-helm.ts';
import type { OperatorWorld } from '../operator/world.ts';
import { type Archive, ChartRepository } from './chart-repository.ts';

export const DOTTED = { name: 'internal.my-chart', version: '1.0.0' } as const;
export const BUILT = { name: 'built', version: '1.2.3+up4' } as const;
export const EXPIRING = { name: 'expiring', version: '1.0.0' } as const;

/** The same charts in a registry, in a folder of a folder, and in a Helm repository. */
export interface PublishedCharts {
  /** `oci://…` */
  readonly registry: string;
  readonly repository: ChartRepository;
  /** The same, for who takes its credentials away. */
  readonly guarded: ChartRepository;
}

export async function publishCharts(world: OperatorWorld): Promise<PublishedCharts> {
  const charts = [DOTTED, BUILT, EXPIRING];
  const folder = await writeTree(world.dir, Object.fromEntries(charts.map((each) => [each.name, chartOf(each)])));
  const registry = `oci://${world.plane.registry?.host ?? ''}/published/charts`;
  const archives: Archive[] = [];
  for (const { name, version } of charts) {
    await runHelm(world, ['package', join(folder, name), '--destination', folder]);
    const file = join(folder, `${name}-${version}.tgz`);
    await runHelm(world, ['push', file, registry, '--ca-file', world.plane.caFile]);
    archives.push({ name, version, file });
  }
  const [repository, guarded] = [await ChartRepository.start(archives), await ChartRepository.start(archives)];
  return { registry, repository, guarded };
}

/** A ConfigMap that says which chart it is from. */
function chartOf({ name, version }: { readonly name: string; readonly version: string }): ChartFiles {
  return {
    'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n`,
    'values.yaml': 'mark: none\n',
    'templates/config.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Release.Name }}}
data: {chart: "{{ .Chart.Name }} {{ .Chart.Version }}", mark: {{ .Values.mark | quote }}}
`,
  };
}
