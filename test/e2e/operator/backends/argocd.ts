import type { ControlPlane } from '../../../../dev/controlplane/contract.ts';
import type { KubeObject } from '../../../../src/api/kube.ts';
import { LABEL } from '../../../../src/api/names.ts';
import { applicationName } from '../../../../src/backends/argocd/application-name.ts';
import { asArray, asNumber, asString, at } from '../../../../src/lib/json.ts';
import type { Delivered, Ground, Release, TestedBackend } from './backend.ts';
import { chartServerFlags } from './chart-server-flags.ts';
import { publishMark } from './published-mark.ts';

const APPLICATION = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' };
const CONTROLLER = 'argocd-application-controller';
const HERE = 'https://kubernetes.default.svc';
const CHANGED = { spec: { source: { helm: { valuesObject: { mark: 'changed' } } } } };
const SKIP = 'argocd.argoproj.io/skip-reconcile';

const refOf = ({ namespace, name: releaseName }: Release) => ({
  ...APPLICATION,
  name: applicationName({ namespace, releaseName }),
});

export async function startArgocd({ plane, cluster, dir }: Ground<ControlPlane>): Promise<TestedBackend> {
  const chart = await publishMark({ plane, dir });
  const patch = async (release: Release, merged: object): Promise<void> => {
    await cluster.write({ verb: 'merge-patch', ref: refOf(release), patch: merged });
  };
  const skip = (release: Release, value: string | null): Promise<void> =>
    patch(release, { metadata: { annotations: { [SKIP]: value } } });
  return {
    name: 'argocd',
    flags: [...(await chartServerFlags()), '--argo-namespace', APPLICATION.namespace],
    controllers: [CONTROLLER],
    controller: {
      name: 'application controller',
      pause: () => {
        plane.pause(CONTROLLER);
      },
      resume: () => {
        plane.resume(CONTROLLER);
      },
    },
    deliveriesOf: async (release) => {
      const application = await cluster.read(refOf(release));
      return asArray(at(application, 'status', 'history')).map((entry) => (asNumber(at(entry, 'id')) ?? 0) + 1);
    },
    tracesIn: async (namespace) => {
      const { items } = await cluster.list(APPLICATION);
      return items.filter((each) => at(each, 'spec', 'destination', 'namespace') === namespace).map(nameIn);
    },
    deliverySelection: () => APPLICATION,
    deliveriesIn,
    pendingIn: async (namespace) => {
      const { items } = await cluster.list(APPLICATION);
      const own = items.filter((each) => at(each, 'spec', 'destination', 'namespace') === namespace);
      return own.filter((each) => isAtWork(each)).map(({ metadata }) => metadata.name);
    },
    isInstruction: ({ user, objectRef }, release) =>
      user.username !== CONTROLLER && objectRef?.resource === 'applications' && objectRef.name === refOf(release).name,
    createForeign: async (release) => {
      const { apiVersion, kind, ...metadata } = refOf(release);
      const { host, path, version } = chart;
      const source = { repoURL: `oci://${host}/${path}/mark`, path: '.', targetRevision: version };
      const helm = { releaseName: release.name, valuesObject: { mark: 'theirs' } };
      const destination = { server: HERE, namespace: release.namespace };
      const syncPolicy = { automated: {}, syncOptions: ['CreateNamespace=true'] };
      const spec = { project: 'default', source: { ...source, helm }, destination, syncPolicy };
      await cluster.write({ verb: 'create', object: { apiVersion, kind, metadata, spec } });
    },
    changeByHand: async (release) => {
      await patch(release, CHANGED);
      await patch(release, { operation: { initiatedBy: { username: 'somebody' }, sync: {} } });
    },
    editByHand: (release) => patch(release, CHANGED),
    removeByHand: async (release) => {
      await cluster.write({ verb: 'delete', ref: refOf(release) });
    },
    suspendByHand: async (release) => {
      await skip(release, 'true');
      return () => skip(release, null);
    },
    close: () => Promise.resolve(),
  };
}

function nameIn({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

/** A sync of an attempt of ours that has succeeded. */
function deliveriesIn({ spec, status }: KubeObject): readonly Delivered[] {
  const state = at(status, 'operationState');
  const info = asArray(at(state, 'operation', 'info')).find((item) => at(item, 'name') === LABEL.attempt);
  if (info === undefined || at(state, 'phase') !== 'Succeeded') return [];
  const text = (value: unknown, ...path: readonly string[]): string => asString(at(value, ...path)) ?? '';
  const release = {
    namespace: text(spec, 'destination', 'namespace'),
    name: text(spec, 'source', 'helm', 'releaseName'),
  };
  return [{ ...release, token: text(info, 'value'), id: text(state, 'startedAt') }];
}

function isAtWork({ operation, status }: KubeObject): boolean {
  const phase = at(status, 'operationState', 'phase');
  return operation !== undefined || phase === 'Running' || phase === 'Terminating';
}
