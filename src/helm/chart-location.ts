import { isCode, KubepkgError } from '../api/errors.ts';
import type { FetchedChart, PinnedChartRef } from '../ports/artifacts.ts';

/** Where a controller outside can pull a chart from, and what makes sure that it is the one that was verified. */
export type ChartLocation =
  | {
      readonly kind: 'oci';
      /** `oci://host/path/name`. */
      readonly repository: string;
      readonly version: string;
      /** `sha256:…`: its layer is the verified archive. */
      readonly manifestDigest: string;
    }
  | { readonly kind: 'http'; readonly repository: string; readonly name: string; readonly version: string };

export interface ChartLocator {
  locate(chart: FetchedChart, signal: AbortSignal): Promise<ChartLocation>;
}

export interface ChartLocatorDeps {
  /** Of the manifest under which an OCI registry has that very archive; DigestMismatch: it has another one there. */
  readonly manifestDigest: (ref: PinnedChartRef, signal: AbortSignal) => Promise<string>;
  /** Where the operator serves charts by their digest; absent: it serves none. */
  readonly chartsUrl?: string | undefined;
}

/**
 * Published charts stay where they are. The others are nowhere to be pulled from but at the operator, whose address of
 * a chart holds the digest: those from package trees, those remade of a release record, and those whose OCI registry
 * has another archive by now, or none.
 */
export function createChartLocator({ manifestDigest, chartsUrl }: ChartLocatorDeps): ChartLocator {
  return {
    async locate(chart, signal) {
      const { ref, name, version } = chart;
      if (ref.kind !== 'chart' || ref.repository === '') return servedByUs(chart, chartsUrl);
      const repository = ref.repository.replace(/\/+$/, '');
      if (!repository.startsWith('oci://')) return { kind: 'http', repository: ref.repository, name, version };
      try {
        const digest = await manifestDigest({ ...ref, digest: chart.digest }, signal);
        return { kind: 'oci', repository: `${repository}/${name}`, version, manifestDigest: digest };
      } catch (error) {
        if (chartsUrl === undefined || !isCode(error, 'DigestMismatch', 'ArtifactNotFound')) throw error;
        return servedByUs(chart, chartsUrl);
      }
    },
  };
}

function servedByUs({ ref, name, version, digest }: FetchedChart, chartsUrl: string | undefined): ChartLocation {
  if (chartsUrl !== undefined) {
    return { kind: 'http', repository: `${chartsUrl.replace(/\/+$/, '')}/${digest.replace(':', '-')}`, name, version };
  }
  const origin = ref.kind === 'tree' ? 'comes from a package tree' : 'was made of a release record';
  throw new KubepkgError('Unsupported', `chart ${name} ${version} ${origin}, so no controller can pull it anywhere`, {
    hint: 'let the operator serve it: set --charts-bind-address and --charts-url',
  });
}
