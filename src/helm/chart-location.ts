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
  /** Why there is nowhere to pull it from; undefined: there is, as far as can be told without asking. */
  refuses(chart: FetchedChart): KubepkgError | undefined;
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
    refuses: (chart) => (isPublished(chart) || chartsUrl !== undefined ? undefined : nowhere(chart)),
    async locate(chart, signal) {
      const { ref, name, version } = chart;
      if (!isPublished(chart) || ref.kind !== 'chart') return servedByUs(chart, chartsUrl);
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

function isPublished({ ref }: FetchedChart): boolean {
  return ref.kind === 'chart' && ref.repository !== '';
}

function servedByUs(chart: FetchedChart, chartsUrl: string | undefined): ChartLocation {
  if (chartsUrl === undefined) throw nowhere(chart);
  const { name, version, digest } = chart;
  return { kind: 'http', repository: `${chartsUrl.replace(/\/+$/, '')}/${digest.replace(':', '-')}`, name, version };
}

function nowhere({ ref, name, version }: FetchedChart): KubepkgError {
  const origin = ref.kind === 'tree' ? 'comes from a package tree' : 'was made of a release record';
  return new KubepkgError('Unsupported', `chart ${name} ${version} ${origin}, so no controller can pull it anywhere`, {
    hint: 'let the operator serve it: set --charts-bind-address and --charts-url',
  });
}
