import { KubepkgError } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { asString, at } from '../../lib/json.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import { describe } from './names.ts';

/** Flux uninstalls what a HelmRelease delivered once it is told to deliver elsewhere, so such a one is not taken over. */
export function refuseOtherTarget(helmRelease: KubeObject, target: ReleaseTarget): KubepkgError | undefined {
  const text = (...path: readonly string[]): string | undefined => asString(at(helmRelease, 'spec', ...path));
  const namespace = text('targetNamespace') ?? target.namespace;
  const storage = text('storageNamespace') ?? target.namespace;
  const name = text('releaseName') ?? defaultName(helmRelease, text('targetNamespace'));
  const isElsewhere = at(helmRelease, 'spec', 'kubeConfig') !== undefined;
  const isSame = namespace === target.namespace && storage === target.namespace && name === target.releaseName;
  if (isSame && !isElsewhere) return undefined;
  const where = isElsewhere ? 'to another cluster' : `release ${namespace}/${name}`;
  return new KubepkgError(
    'OwnershipConflict',
    `${describe(helmRelease)} delivers ${where}, so it cannot be taken over`,
    {
      hint: 'choose another release name',
    },
  );
}

function defaultName({ metadata }: KubeObject, targetNamespace: string | undefined): string {
  return targetNamespace === undefined ? metadata.name : `${targetNamespace}-${metadata.name}`;
}
