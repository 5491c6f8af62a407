import { asArray, asString, at } from '../../lib/json.ts';
import type { StoredObject } from '../model/object.ts';
import { badRequest } from './refusals.ts';

interface Term {
  readonly field: string;
  readonly negated: boolean;
  readonly value: string;
}

const METADATA: readonly string[] = ['metadata.name', 'metadata.namespace'];

/** What can be selected by beside the metadata, by group and plural. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  '/pods': [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.podIPs',
    'status.nominatedNodeName',
  ],
  '/nodes': ['spec.unschedulable'],
  '/replicationcontrollers': ['status.replicas'],
  '/namespaces': ['status.phase'],
  '/secrets': ['type'],
  '/services': ['spec.clusterIP', 'spec.type'],
  '/events': [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
  'events.k8s.io/events': [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
  'apps/replicasets': ['status.replicas'],
  'batch/jobs': ['status.successful'],
  'certificates.k8s.io/certificatesigningrequests': ['spec.signerName'],
};

/** Fields whose value is not where their name says. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  source: ['source', 'component'],
  'status.successful': ['status', 'succeeded'],
};

const ABSENT: Readonly<Record<string, string>> = {
  'spec.unschedulable': 'false',
  'spec.hostNetwork': 'false',
  'status.replicas': '0',
  'status.successful': '0',
};

export interface Selectable {
  readonly group: string;
  readonly plural: string;
  readonly custom?: boolean;
  /** Of a CustomResourceDefinition: `selectableFields`, as `spec.color`. */
  readonly selectableFields?: readonly string[];
}

/** Whether an object satisfies a field selector; what cannot be selected by is refused. */
export function parseFieldSelector(text: string, kind: Selectable): (object: StoredObject) => boolean {
  const terms = termsOf(text);
  if (terms.length === 0) return () => true;
  const own = [...(FIELDS[`${kind.group}/${kind.plural}`] ?? []), ...(kind.selectableFields ?? [])];
  for (const { field } of terms)
    if (!METADATA.includes(field) && !own.includes(field))
      throw unsupported(field, kind.custom === true || own.length > 0);
  return (object) => terms.every(({ field, negated, value }) => (valueAt(object, field) === value) !== negated);
}

function unsupported(field: string, isCustomOrRich: boolean): Error {
  const known = `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
  return badRequest(isCustomOrRich ? `field label not supported: ${field}` : known);
}

function valueAt(object: StoredObject, field: string): string {
  if (field === 'status.podIPs')
    return asArray(at(object, 'status', 'podIPs'))
      .map((ip) => asString(at(ip, 'ip')) ?? '')
      .join(',');
  const value = at(object, ...(PLACES[field] ?? field.split('.')));
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return ABSENT[field] ?? '';
}

/** `a=b,c==d,e!=f`; a backslash takes the meaning from a comma, an equals sign or itself. */
function termsOf(text: string): readonly Term[] {
  const parts = text.split(/(?<!\\),/).filter((part) => part !== '');
  return parts.map((part) => {
    const match = /^((?:[^=!\\]|\\.)*?)(!=|==|=)(.*)$/s.exec(part);
    if (match === null) throw badRequest(`invalid selector: '${text}'; can't understand '${part}'`);
    const [, field = '', operator = '', value = ''] = match;
    return { field, negated: operator === '!=', value: value.replace(/\\([\\,=])/g, '$1') };
  });
}
