import type { KubeObject } from '../../api/kube.ts';
import { isRecord } from '../../lib/json.ts';
import type { BackendAction, SubmitOutcome } from '../../ports/backend.ts';
import { applicationRef } from './application.ts';
import { NOTE } from './notes.ts';
import { parseJson } from './parse-json.ts';
import { rewrite } from './rewrite.ts';
import type { ArgoCdTools } from './tools.ts';

/** Gives back what a user chose for automated sync, unless they chose anew meanwhile. */
export async function handBack(
  { target }: Extract<BackendAction, { kind: 'hand-back' }>,
  { cluster, options }: ArgoCdTools,
): Promise<SubmitOutcome> {
  await rewrite(
    applicationRef(target, options.namespace),
    (live) => (live?.metadata.annotations?.[NOTE.automated] === undefined ? undefined : withAutomated(live)),
    cluster,
  );
  return { kind: 'accepted' };
}

export function withAutomated(live: KubeObject): KubeObject {
  const { [NOTE.automated]: text = '', ...annotations } = live.metadata.annotations ?? {};
  const spec = isRecord(live['spec']) ? live['spec'] : {};
  const policy = isRecord(spec['syncPolicy']) ? spec['syncPolicy'] : {};
  const chosen = parseJson(text);
  const automated = policy['automated'] ?? (isRecord(chosen) ? chosen : undefined);
  const syncPolicy = { ...policy, ...(automated === undefined ? {} : { automated }) };
  return { ...live, metadata: { ...live.metadata, annotations }, spec: { ...spec, syncPolicy } };
}
