import { KubepkgError } from '../../api/errors.ts';
import type { FetchedChart } from '../../ports/artifacts.ts';

/** Names that source-controller takes for a chart of an HTTP repository. */
const HTTP_CHART_NAME = /^([-a-z0-9]+\/?\.?)+$/;

export function refuseName(name: string): KubepkgError | undefined {
  if (HTTP_CHART_NAME.test(name)) return undefined;
  return new KubepkgError('Unsupported', `Flux takes no chart named ${name} from an HTTP repository`, {
    hint: 'publish it in an OCI registry, or name it in lower case, with digits, dashes and dots alone',
  });
}

/** As far as can be told without asking a registry: in one, any name will do. */
export function refuseChart({ ref, name }: FetchedChart): KubepkgError | undefined {
  const isInRegistry = ref.kind === 'chart' && ref.repository.startsWith('oci://');
  return isInRegistry ? undefined : refuseName(name);
}
