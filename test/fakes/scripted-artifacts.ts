import type { ChartRef } from '../../src/api/chart-ref.ts';
import type { KubepkgError } from '../../src/api/errors.ts';
import { digestOf } from '../../src/lib/digest.ts';
import type { ArtifactSource, FetchedChart } from '../../src/ports/artifacts.ts';

/** Has every chart that is asked for, unless the test says otherwise. */
export class ScriptedArtifacts implements ArtifactSource {
  /** What was asked for, by path or name. */
  readonly fetched: string[] = [];
  /** Thrown for the chart at that path or of that name. */
  readonly failures = new Map<string, KubepkgError>();
  /** Charts, by path or name, with hooks that follow their workloads. */
  readonly withPostHooks = new Set<string>();
  /** Awaited before each answer. */
  before: () => Promise<void> = () => Promise.resolve();

  async fetch(ref: ChartRef): Promise<FetchedChart> {
    const name = ref.kind === 'tree' ? ref.path : ref.name;
    this.fetched.push(name);
    await this.before();
    const failure = this.failures.get(name);
    if (failure !== undefined) throw failure;
    const version = ref.kind === 'tree' ? (ref.url.split(':').at(-1) ?? '') : ref.version;
    const digest = ref.digest ?? `sha256:${name}-${version}`;
    const hasPostHooks = this.withPostHooks.has(name);
    const chart = { digest, path: `/cache/${name}.tgz`, name, version, sizeBytes: 1000, hasPostHooks };
    return { ref: { ...ref, digest }, ...chart };
  }
  pack(name: string, files: Readonly<Record<string, string>>): Promise<FetchedChart> {
    const digest = digestOf({ name, files });
    const ref = { kind: 'chart', repository: '', name, version: '0.0.0', digest } as const;
    return Promise.resolve({ ...ref, ref, path: `/cache/${digest}.tgz`, sizeBytes: 1000, hasPostHooks: false });
  }
}
