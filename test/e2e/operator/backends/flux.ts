import type { KubeObject } from '../../../../src/api/kube.ts';
import { LABEL } from '../../../../src/api/names.ts';
import { STAMP } from '../../../../src/backends/flux/names.ts';
import { asArray, asString, at } from '../../../../src/lib/json.ts';
import { startHelmController } from '../../../standin/helm-controller/standin.ts';
import type { Delivered, Ground, Release, TestedBackend } from './backend.ts';
import { chartServerFlags } from './chart-server-flags.ts';
import { type PublishedChart, publishMark } from './published-mark.ts';
import { completedRecords, PENDING, recordsIn } from './records.ts';

export const HELM_CONTROLLER = 'helm-controller';

const HELM_RELEASE = { apiVersion: 'helm.toolkit.fluxcd.io/v2', kind: 'HelmRelease' };
const OCI_REPOSITORY = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'OCIRepository' };
const HELM_REPOSITORY = { apiVersion: 'source.toolkit.fluxcd.io/v1', kind: 'HelmRepository' };
const VALUES = { apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=kubepkg.dev/values' };

/** Of a change that nobody watches for, until it is looked at again. */
const FACTORS = { pauses: 0.2, deadlines: 1, intervals: 1 };

export async function startFlux({ plane, cluster, dir }: Ground): Promise<TestedBackend> {
  const chart = await publishMark({ plane, dir });
  const controller = await startHelmController({
    kubeconfig: plane.kubeconfigFor(HELM_CONTROLLER),
    helm: plane.binaries.helm,
    timing: FACTORS,
  });
  const patch = async ({ namespace, name }: Release, spec: object): Promise<void> => {
    await cluster.write({ verb: 'merge-patch', ref: { ...HELM_RELEASE, namespace, name }, patch: { spec } });
  };
  const suspend = (release: Release, value: boolean): Promise<void> => patch(release, { suspend: value });
  return {
    name: 'flux',
    flags: await chartServerFlags(),
    controllers: [HELM_CONTROLLER],
    controller: {
      name: HELM_CONTROLLER,
      pause: () => {
        controller.pause();
      },
      resume: () => {
        controller.resume();
      },
    },
    deliveriesOf: (release) => completedRecords(cluster, release),
    tracesIn: async (namespace) => {
      const selections = [HELM_RELEASE, OCI_REPOSITORY, HELM_REPOSITORY, VALUES];
      const lists = await Promise.all(selections.map((each) => cluster.list({ ...each, namespace })));
      const found = lists.flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`));
      return [...found, ...(await recordsIn(cluster, namespace))];
    },
    deliverySelection: (namespace) => ({ ...HELM_RELEASE, namespace }),
    deliveriesIn,
    pendingIn: async (namespace) => {
      const { items } = await cluster.list({ ...HELM_RELEASE, namespace });
      const stopped = items.filter((each) => at(each, 'spec', 'suspend') === true);
      return [...stopped.map(({ metadata }) => metadata.name), ...(await recordsIn(cluster, namespace, PENDING))];
    },
    isInstruction: ({ user, objectRef }, { namespace, name }) =>
      user.username !== HELM_CONTROLLER &&
      objectRef?.resource === 'helmreleases' &&
      objectRef.namespace === namespace &&
      objectRef.name === name,
    createForeign: async (release) => {
      for (const object of releaseByHand(release, chart)) await cluster.write({ verb: 'create', object });
    },
    changeByHand: (release) => patch(release, { values: { mark: 'changed' } }),
    removeByHand: async ({ namespace, name }) => {
      await cluster.write({ verb: 'delete', ref: { ...HELM_RELEASE, namespace, name } });
    },
    suspendByHand: async (release) => {
      await suspend(release, true);
      return () => suspend(release, false);
    },
    close: () => controller.close(),
  };
}

function releaseByHand({ namespace, name }: Release, { host, path, version }: PublishedChart): readonly KubeObject[] {
  const metadata = { name, namespace };
  const chartRef = { kind: OCI_REPOSITORY.kind, name };
  return [
    { ...OCI_REPOSITORY, metadata, spec: { interval: '1h', url: `oci://${host}/${path}/mark`, ref: { tag: version } } },
    { ...HELM_RELEASE, metadata, spec: { interval: '1h', chartRef, values: { mark: 'theirs' } } },
  ];
}

/** The newest release, once a turn that began after the attempt was written has ended with another than before. */
function deliveriesIn({ metadata, status }: KubeObject): readonly Delivered[] {
  const { name, namespace = '', annotations = {} } = metadata;
  const token = annotations[LABEL.attempt] ?? '';
  const newest = asArray(at(status, 'history'))[0];
  const id = asString(at(newest, 'digest')) ?? '';
  const isHandled = at(status, 'lastHandledReconcileAt') === token;
  const isNew = id !== (annotations[STAMP.former] ?? '');
  return isHandled && isNew && at(newest, 'status') === 'deployed' ? [{ namespace, name, token, id }] : [];
}
