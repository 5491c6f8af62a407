import type { KubeObject } from '../../../api/kube.ts';
import { at } from '../../../lib/json.ts';
import { hasEnded } from '../../readiness/vanished-job.ts';
import { clean } from '../diff/clean.ts';
import { compareQuantities } from '../diff/quantity.ts';
import { eachObject, type ObjectOf, someOf } from './each-object.ts';
import type { ObjectFacts } from './facts.ts';
import { fieldNamed, fieldsDropped, fieldsSet } from './settings.ts';

interface Immutable {
  readonly fields: readonly string[];
  /** Also when the chart says nothing of it any more. */
  readonly ifDropped: boolean;
  readonly remedy: string;
}

const RECREATE = 'keep the field as it is, or delete the object before the upgrade';
const ORPHAN =
  'keep it as it is, or delete the StatefulSet with --cascade=orphan before the upgrade; its pods and claims stay';
const JOB_FIELDS = ['selector', 'template', 'completionMode', 'podFailurePolicy', 'successPolicy', 'managedBy'];
const CLAIM_FIELDS = ['accessModes', 'selector', 'volumeName', 'volumeMode', 'storageClassName', 'dataSource'];

/** By group and kind; from the validation of Kubernetes 1.36. */
const IMMUTABLE: Readonly<Record<string, Immutable>> = {
  'batch/Job': { fields: inSpec(JOB_FIELDS), ifDropped: true, remedy: '' },
  'apps/StatefulSet': {
    fields: inSpec(['serviceName', 'podManagementPolicy', 'selector', 'volumeClaimTemplates']),
    ifDropped: true,
    remedy: ORPHAN,
  },
  'apps/Deployment': { fields: ['spec.selector'], ifDropped: true, remedy: RECREATE },
  'apps/DaemonSet': { fields: ['spec.selector'], ifDropped: true, remedy: RECREATE },
  'apps/ReplicaSet': { fields: ['spec.selector'], ifDropped: true, remedy: RECREATE },
  '/PersistentVolumeClaim': {
    fields: inSpec(CLAIM_FIELDS),
    ifDropped: false,
    remedy: 'keep it as it is: of a claim only resources.requests can grow, once it is bound',
  },
  'rbac.authorization.k8s.io/RoleBinding': { fields: ['roleRef'], ifDropped: false, remedy: RECREATE },
  'rbac.authorization.k8s.io/ClusterRoleBinding': { fields: ['roleRef'], ifDropped: false, remedy: RECREATE },
  'storage.k8s.io/StorageClass': {
    fields: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
    ifDropped: true,
    remedy: 'give the class another name, or delete it before the upgrade; its volumes stay',
  },
  'scheduling.k8s.io/PriorityClass': { fields: ['value', 'preemptionPolicy'], ifDropped: false, remedy: RECREATE },
  'networking.k8s.io/IngressClass': { fields: ['spec.controller'], ifDropped: false, remedy: RECREATE },
  'node.k8s.io/RuntimeClass': { fields: ['handler'], ifDropped: false, remedy: RECREATE },
  'apiextensions.k8s.io/CustomResourceDefinition': {
    fields: ['spec.scope', 'spec.group', 'spec.names.kind', 'spec.names.plural'],
    ifDropped: false,
    remedy: 'a CRD keeps its scope and names: give the new kind another name',
  },
  '/Secret': { fields: ['type'], ifDropped: false, remedy: RECREATE },
};

const RENAME = 'give it another name, such as one with a digest of its content, or delete it before the upgrade';
const RENAME_JOB = 'put the version into the name of the Job';

/** What the API server refuses because a field cannot be changed once it is set. */
export const findImmutable = eachObject((object) => {
  const fields = immutableChanges(object);
  if (fields.length === 0 || isMadeAgain(object)) return undefined;
  return { message: `${someOf(fields)} cannot be changed, and the upgrade changes it`, remedy: remedyFor(object) };
});

/** Jobs that kubepkg deletes and makes again, as their template changes. */
export const findRecreatedJobs = eachObject((object) => {
  if (immutableChanges(object).length === 0 || !isMadeAgain(object)) return undefined;
  return {
    message: 'has finished and changes: it is deleted and made again, so that it runs once more',
    remedy: 'set install.recreate: Never if it must not run again',
  };
});

/** Whether the API server's refusal is told as an immutable field, or none at all. */
export function isAboutImmutable(object: ObjectOf): boolean {
  return immutableChanges(object).length > 0;
}

/**
 * Where the API server has accepted a trial, it has judged what is set; what is dropped it has not seen, as the trial is
 * not by the one who had set it.
 */
function immutableChanges(object: ObjectFacts): readonly string[] {
  const { live, after } = object;
  if (live === undefined) return [];
  const set = [...setByTable(object), ...clusterAddress(live, after), ...smallerClaim(live, after)];
  const judged = object.dryRun === 'accepted' ? [] : set;
  return [...new Set([...judged, ...droppedByTable(object), ...sealed(object)])];
}

function setByTable({ live, after }: ObjectFacts): readonly string[] {
  return (IMMUTABLE[groupKind(after)]?.fields ?? []).flatMap((field) => {
    const names = field.split('.');
    return fieldsSet(at(live, ...names), at(after, ...names), fieldNamed(...names));
  });
}

function droppedByTable({ live, after, before }: ObjectFacts): readonly string[] {
  const { fields = [], ifDropped = false } = IMMUTABLE[groupKind(after)] ?? {};
  if (!ifDropped || before === undefined) return [];
  return fields.flatMap((field) => {
    const [name = '', ...path] = field.split('.').reverse();
    const [was, willBe, is] = [before, after, live].map((object) => ({
      [name]: at(object, ...path.toReversed(), name),
    }));
    return fieldsDropped({ before: was, after: willBe, live: is }, fieldNamed(...path.toReversed()));
  });
}

/** An address that is set stays; one that is not asked for is kept by the server. */
function clusterAddress(live: KubeObject, after: KubeObject): readonly string[] {
  if (groupKind(after) !== '/Service') return [];
  if ([live, after].some((service) => at(service, 'spec', 'type') === 'ExternalName')) return [];
  const [now, wanted] = [live, after].map((service) => at(service, 'spec', 'clusterIP') ?? '');
  return now === '' || wanted === '' || now === wanted ? [] : ['spec.clusterIP'];
}

function smallerClaim(live: KubeObject, after: KubeObject): readonly string[] {
  if (groupKind(after) !== '/PersistentVolumeClaim') return [];
  const [now, wanted] = [live, after].map((claim) => at(claim, 'spec', 'resources', 'requests', 'storage'));
  const order = compareQuantities(now, wanted) ?? 0;
  const isBound = at(live, 'status', 'phase') === 'Bound';
  return order > 0 || (order < 0 && !isBound) ? ['spec.resources.requests.storage'] : [];
}

/** A Secret or ConfigMap with `immutable: true`. */
function sealed({ live, after, before, dryRun }: ObjectFacts): readonly string[] {
  if (!['/Secret', '/ConfigMap'].includes(groupKind(after)) || live?.['immutable'] !== true) return [];
  const [is, willBe, was] = [live, after, before].map((object) => (object === undefined ? {} : clean(object)));
  const isJudged = dryRun === 'accepted';
  const opened = isJudged || willBe?.['immutable'] === true ? [] : ['immutable'];
  const data = ['data', 'binaryData'].filter((field) => {
    const place = fieldNamed(field);
    const sides = { before: at(was, field), after: at(willBe, field), live: at(is, field) };
    const set = isJudged ? [] : fieldsSet(sides.live, sides.after, place);
    return [...set, ...fieldsDropped(sides, place)].length > 0;
  });
  return [...opened, ...data];
}

function isMadeAgain({ owner, after, live }: ObjectOf): boolean {
  return (
    groupKind(after) === 'batch/Job' &&
    owner.component.recreate === 'FinishedJobs' &&
    live !== undefined &&
    hasEnded(live)
  );
}

function remedyFor({ owner, after, live }: ObjectOf): string {
  if (live?.['immutable'] === true) return RENAME;
  if (groupKind(after) !== 'batch/Job') return IMMUTABLE[groupKind(after)]?.remedy ?? RECREATE;
  return owner.component.recreate === 'Never'
    ? `${RENAME_JOB}, or set install.recreate: FinishedJobs`
    : `wait until the Job has finished, so that it can be made again, or ${RENAME_JOB}`;
}

function groupKind({ apiVersion, kind }: KubeObject): string {
  return `${apiVersion.includes('/') ? apiVersion.replace(/\/.*/, '') : ''}/${kind}`;
}

function inSpec(fields: readonly string[]): readonly string[] {
  return fields.map((field) => `spec.${field}`);
}
