import { forbidden, invalidValue, notSupported, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { atLeast, type Causes, each, mapAt, oneOf, textOf } from './kit.ts';
import { validateEnding, validateLasting, validateTemplate } from './pod.ts';
import { isEmptySelector, needSelector, selects, validateSelector, validateTemplateLabels } from './selectors.ts';
import { validateClaimSpec } from './storage.ts';

const TEMPLATE = 'spec.template';

export function validateDeployment(spec: JsonMap): Causes {
  return [
    ...atLeast(spec['replicas'], 'spec.replicas', 0),
    ...workloadSelector(spec, 'deployment'),
    ...validateTemplateOf(spec, 'ReplicaSet'),
    ...strategyProblems(mapAt(spec, 'strategy')),
    ...atLeast(spec['minReadySeconds'], 'spec.minReadySeconds', 0),
    ...atLeast(spec['revisionHistoryLimit'], 'spec.revisionHistoryLimit', 0),
    ...deadlineProblems(spec),
  ];
}

function workloadSelector({ selector }: JsonMap, kind: string): Causes {
  if (selector === undefined || selector === null) return needSelector(selector, 'spec.selector');
  if (isEmptySelector(selector))
    return [invalidValue('spec.selector', selector, `empty selector is invalid for ${kind}`)];
  return validateSelector(selector, 'spec.selector');
}

function validateTemplateOf({ selector, template, replicas }: JsonMap, kind: string): Causes {
  const isUnset = selector !== null && selector !== undefined && isEmptySelector(selector);
  const labels = isUnset && replicas !== undefined ? [] : validateTemplateLabels(selector, template, TEMPLATE);
  return [...labels, ...validateTemplate(template, TEMPLATE), ...validateLasting(template, TEMPLATE, kind)];
}

function deadlineProblems({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }: JsonMap): Causes {
  if (typeof deadline !== 'number') return [];
  const path = 'spec.progressDeadlineSeconds';
  if (deadline < 0) return atLeast(deadline, path, 0);
  return deadline > Number(minReadySeconds)
    ? []
    : [invalidValue(path, deadline, 'must be greater than minReadySeconds')];
}

function strategyProblems(strategy: JsonMap): Causes {
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    return [forbidden('spec.strategy.rollingUpdate', "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') {
    const shown = { Type: type ?? '', RollingUpdate: rollingUpdate ?? null };
    return [notSupported('spec.strategy', shown, ['Recreate', 'RollingUpdate'])];
  }
  const path = 'spec.strategy.rollingUpdate';
  const { maxSurge, maxUnavailable } = mapAt(rollingUpdate);
  return [
    ...countProblems(maxUnavailable, `${path}.maxUnavailable`),
    ...countProblems(maxSurge, `${path}.maxSurge`),
    ...(isZero(maxSurge) && isZero(maxUnavailable)
      ? [invalidValue(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0')]
      : []),
    ...overHundred(maxUnavailable, `${path}.maxUnavailable`),
  ];
}

function isZero(count: unknown): boolean {
  return count === 0 || count === '0%';
}

/** A number, or a share in percent. */
export function countProblems(count: unknown, path: string): Causes {
  if (typeof count !== 'string') return atLeast(count, path, 0);
  if (/^[0-9]+%$/.test(count)) return [];
  const what = "a valid percent string must be a numeric string followed by an ending '%'";
  const how = "(e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
  return [invalidValue(path, count, `${what} ${how}`)];
}

export function overHundred(count: unknown, path: string): Causes {
  const tooMuch = typeof count === 'string' && /^[0-9]+%$/.test(count) && Number(count.slice(0, -1)) > 100;
  return tooMuch ? [invalidValue(path, count, 'must not be greater than 100%')] : [];
}

export function validateReplicaSet(spec: JsonMap): Causes {
  return [
    ...atLeast(spec['replicas'], 'spec.replicas', 0),
    ...atLeast(spec['minReadySeconds'], 'spec.minReadySeconds', 0),
    ...workloadSelector(spec, 'ReplicaSet'),
    ...validateTemplateOf(spec, 'ReplicaSet'),
  ];
}

export function validateReplicationController(spec: JsonMap): Causes {
  const { selector, template } = spec;
  const labels = { matchLabels: selector };
  const fits = selects(labels, mapAt(mapAt(template, 'metadata'))['labels']);
  return [
    ...atLeast(spec['replicas'], 'spec.replicas', 0),
    ...(Object.keys(mapAt(selector)).length === 0 ? [required('spec.selector')] : []),
    ...(template === undefined ? [required(TEMPLATE)] : []),
    ...(fits || template === undefined
      ? []
      : [
          invalidValue(
            `${TEMPLATE}.metadata.labels`,
            mapAt(mapAt(template, 'metadata'))['labels'] ?? null,
            '`selector` does not match template `labels`',
          ),
        ]),
    ...(template === undefined ? [] : validateTemplate(template, TEMPLATE)),
    ...(template === undefined ? [] : validateLasting(template, TEMPLATE, 'ReplicationController')),
  ];
}

export function validateStatefulSet(spec: JsonMap): Causes {
  const { podManagementPolicy: policy, updateStrategy } = spec;
  return [
    ...(policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [invalidValue('spec.podManagementPolicy', textOf(policy), "must be 'OrderedReady' or 'Parallel'")]),
    ...statefulStrategy(mapAt(updateStrategy)),
    ...atLeast(spec['replicas'], 'spec.replicas', 0),
    ...atLeast(spec['minReadySeconds'], 'spec.minReadySeconds', 0),
    ...each(spec['volumeClaimTemplates'], 'spec.volumeClaimTemplates', (claim, path) =>
      validateClaimSpec(mapAt(claim, 'spec'), `${path}.spec`),
    ),
    ...workloadSelector(spec, 'statefulset'),
    ...validateTemplateOf(withClaims(spec), 'StatefulSet'),
  ];
}

/** Each claim is a volume of the pods. */
function withClaims(spec: JsonMap): JsonMap {
  const claims = mapsOf(spec['volumeClaimTemplates']).map((claim) => mapAt(claim, 'metadata')['name']);
  const template = mapAt(spec, 'template');
  const pod = mapAt(template, 'spec');
  const own = mapsOf(pod['volumes']).filter(({ name }) => !claims.includes(name));
  const volumes = claims.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const all = volumes.length === 0 ? pod['volumes'] : [...own, ...volumes];
  return { ...spec, template: { ...template, spec: { ...pod, volumes: all } } };
}

function mapsOf(list: unknown): readonly JsonMap[] {
  return Array.isArray(list) ? list.map((item: unknown) => mapAt(item)) : [];
}

function statefulStrategy({ type, rollingUpdate }: JsonMap): Causes {
  const path = 'spec.updateStrategy';
  if (type === undefined || type === '') return [required(path)];
  if (type === 'OnDelete') {
    if (rollingUpdate === undefined) return [];
    const detail = "only allowed for updateStrategy 'RollingUpdate'";
    return [invalidValue(`${path}.rollingUpdate`, rollingUpdate, detail)];
  }
  if (type !== 'RollingUpdate') {
    const shown = { Type: type, RollingUpdate: rollingUpdate ?? null };
    return [invalidValue(path, shown, "must be 'RollingUpdate' or 'OnDelete'")];
  }
  return atLeast(mapAt(rollingUpdate)['partition'], `${path}.rollingUpdate.partition`, 0);
}

export function validateDaemonSet(spec: JsonMap): Causes {
  const { selector, template, updateStrategy } = spec;
  return [
    ...(selector === undefined || selector === null
      ? [required('spec.selector')]
      : validateSelector(selector, 'spec.selector')),
    ...validateTemplateLabels(selector, template, TEMPLATE),
    ...(selector !== null && selector !== undefined && isEmptySelector(selector)
      ? [invalidValue('spec.selector', selector, 'empty selector is invalid for daemonset')]
      : []),
    ...validateTemplate(template, TEMPLATE),
    ...validateLasting(template, TEMPLATE, 'DaemonSet'),
    ...atLeast(spec['minReadySeconds'], 'spec.minReadySeconds', 0),
    ...daemonStrategy(mapAt(updateStrategy)),
    ...atLeast(spec['revisionHistoryLimit'], 'spec.revisionHistoryLimit', 0),
  ];
}

function daemonStrategy({ type, rollingUpdate }: JsonMap): Causes {
  const path = 'spec.updateStrategy';
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = { Type: type ?? '', RollingUpdate: rollingUpdate ?? null };
    return [notSupported(path, shown, ['RollingUpdate', 'OnDelete'])];
  }
  const { maxSurge, maxUnavailable } = mapAt(rollingUpdate);
  const place = `${path}.rollingUpdate.maxUnavailable`;
  const neither = isZero(maxSurge) && isZero(maxUnavailable);
  const both = !isZero(maxSurge) && !isZero(maxUnavailable);
  return [
    ...countProblems(maxUnavailable, place),
    ...countProblems(maxSurge, `${path}.rollingUpdate.maxSurge`),
    ...(neither ? [required(place, 'cannot be 0 when maxSurge is 0')] : []),
    ...(both
      ? [invalidValue(`${path}.rollingUpdate.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero')]
      : []),
  ];
}

const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'];

/** `path` is that of the spec: a Job's own, or of a CronJob's template. */
export function validateJobSpec(spec: JsonMap, path: string): Causes {
  const { template, completionMode, completions } = spec;
  const place = `${path}.template`;
  return [
    ...COUNTS.flatMap((name) => atLeast(spec[name], `${path}.${name}`, 0)),
    ...oneOf(completionMode, `${path}.completionMode`, ['NonIndexed', 'Indexed']),
    ...(completionMode === 'Indexed' && completions === undefined
      ? [required(`${path}.completions`, 'when completion mode is Indexed')]
      : []),
    ...validateTemplate(template, place),
    ...validateEnding(template, place),
  ];
}

export function validateJob(object: JsonMap): Causes {
  const spec = mapAt(object, 'spec');
  return [...generatedSelector(object, spec), ...validateJobSpec(spec, 'spec'), ...jobLabels(spec)];
}

const UID_LABEL = 'batch.kubernetes.io/controller-uid';

/** A selector that is not made by hand is of the Job's own uid alone. */
function generatedSelector(object: JsonMap, { selector, manualSelector }: JsonMap): Causes {
  const uid = mapAt(object, 'metadata')['uid'];
  if (selector === undefined) return [required('spec.selector')];
  if (manualSelector === true || uid === undefined) return [];
  const labels = Object.entries(mapAt(mapAt(selector), 'matchLabels'));
  const known = labels.every(([key, value]) => key === UID_LABEL || (key === 'controller-uid' && value === uid));
  return known ? [] : [invalidValue('spec.selector', selector, '`selector` not auto-generated')];
}

function jobLabels({ selector, template }: JsonMap): Causes {
  return selector === undefined ? [] : validateTemplateLabels(selector, template, TEMPLATE);
}

const CRON_NAME_MAX = 52;
const PREDEFINED = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

export function validateCronJob(object: JsonMap): Causes {
  const spec = mapAt(object, 'spec');
  const name = textOf(mapAt(object, 'metadata')['name']);
  return [
    ...scheduleProblems(textOf(spec['schedule'])),
    ...atLeast(spec['startingDeadlineSeconds'], 'spec.startingDeadlineSeconds', 0),
    ...oneOf(spec['concurrencyPolicy'], 'spec.concurrencyPolicy', ['Allow', 'Forbid', 'Replace']),
    ...zoneProblems(spec['timeZone']),
    ...validateJobSpec(mapAt(mapAt(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'),
    ...atLeast(spec['successfulJobsHistoryLimit'], 'spec.successfulJobsHistoryLimit', 0),
    ...atLeast(spec['failedJobsHistoryLimit'], 'spec.failedJobsHistoryLimit', 0),
    ...(name.length > CRON_NAME_MAX ? [invalidValue('metadata.name', name, 'must be no more than 52 characters')] : []),
  ];
}

function scheduleProblems(schedule: string): Causes {
  if (schedule === '') return [required('spec.schedule')];
  if (PREDEFINED.includes(schedule) || /^@every \S+$/.test(schedule)) return [];
  if (schedule.startsWith('@'))
    return [invalidValue('spec.schedule', schedule, `unrecognized descriptor: ${schedule}`)];
  const fields = schedule.trim().split(/\s+/);
  if (fields.length === 5) return [];
  const detail = `expected exactly 5 fields, found ${String(fields.length)}: [${fields.join(' ')}]`;
  return [invalidValue('spec.schedule', schedule, detail)];
}

function zoneProblems(zone: unknown): Causes {
  if (typeof zone !== 'string') return [];
  try {
    Intl.DateTimeFormat('en', { timeZone: zone });
    return [];
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return [invalidValue('spec.timeZone', zone, `unknown time zone ${zone}`)];
  }
}
