import { type KubeObject, nameOf, refOf } from '../../api/kube.ts';
import type { Cluster, WriteRequest } from '../../ports/cluster.ts';
import type { Mortality } from './mortality.ts';
import { recorded, type Steps } from './steps.ts';

export interface MortalPlace {
  readonly mortality: Mortality;
  /** Absent: nothing that is written counts. */
  readonly steps: Steps | undefined;
}

/** The cluster as one life of the operator reaches it: every write is a step, after which it may be dead. */
export function mortalCluster(cluster: Cluster, { mortality, steps }: MortalPlace): Cluster {
  return {
    read: (ref, options) => mortality.hear(() => cluster.read(ref, options)),
    list: (selection) => mortality.hear(() => cluster.list(selection)),
    served: (apiVersion, kind) => mortality.hear(() => cluster.served(apiVersion, kind)),
    logs: (request) => mortality.hear(() => cluster.logs(request)),
    write: (request) =>
      mortality.hear(async () => {
        const before = isStatusOfRevision(request) ? await cluster.read(refOf(request.object)) : undefined;
        const written = await cluster.write(request);
        if (isStep(request)) steps?.take(describe(request, { before, written }));
        return written;
      }),
    watch: (selection, onEvent) => {
      const subscription = cluster.watch(selection, (event) => {
        if (mortality.alive) onEvent(event);
      });
      mortality.atDeath(() => {
        subscription.stop();
      });
      return subscription;
    },
  };
}

type StatusWrite = Extract<WriteRequest, { readonly verb: 'create' | 'replace' }>;

function isStatusOfRevision(request: WriteRequest): request is StatusWrite {
  return request.verb === 'replace' && request.subresource === 'status' && request.object.kind === 'PackageRevision';
}

/** Events and the status of a Package tell what has happened; what is done does not rest on them. */
function isStep(request: WriteRequest): boolean {
  return request.dryRun !== true && kindOf(request) !== 'Event';
}

function kindOf(request: WriteRequest): string {
  return 'object' in request ? request.object.kind : request.ref.kind;
}

interface Outcome {
  readonly before: KubeObject | undefined;
  readonly written: KubeObject;
}

const VERBS: Readonly<Record<WriteRequest['verb'], string>> = {
  create: 'is created',
  replace: 'is written',
  apply: 'is applied',
  'merge-patch': 'is patched',
  'json-patch': 'is patched',
  delete: 'is deleted',
};

function describe(request: WriteRequest, { before, written }: Outcome): string {
  if (isStatusOfRevision(request)) return recorded(written, before);
  const subject = nameOf('object' in request ? refOf(written) : request.ref);
  const part = request.verb !== 'delete' && request.subresource === 'status' ? 'the status of ' : '';
  return `${part}${subject} ${VERBS[request.verb]}`;
}
