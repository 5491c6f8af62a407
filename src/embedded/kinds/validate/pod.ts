import { asArray } from '../../../lib/json.ts';
import { forbidden, invalidValue, required } from '../../model/causes.ts';
import type { JsonMap } from '../../model/object.ts';
import { hasFormat } from '../../schema/formats.ts';
import { isDnsSubdomain } from '../../schema/names.ts';
import { annotationProblems, labelProblems } from '../../schema/object-meta-problems.ts';
import { validateContainers, validateInitContainers } from './containers.ts';
import { type Causes, each, mapAt, named, oneOf, textOf } from './kit.ts';
import { validateScheduling } from './scheduling.ts';
import { validatePodSecurity } from './security.ts';
import { judgeVolumes } from './volumes.ts';

const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];

export function validatePodSpec(spec: JsonMap, path: string): Causes {
  return [
    ...judgeVolumes(spec['volumes'], `${path}.volumes`).causes,
    ...validateContainers(spec, path),
    ...validateInitContainers(spec, path),
    ...oneOf(spec['restartPolicy'], `${path}.restartPolicy`, RESTART_POLICIES),
    ...oneOf(spec['dnsPolicy'], `${path}.dnsPolicy`, DNS_POLICIES),
    ...validateScheduling(spec, path),
    ...validatePodSecurity(spec['securityContext'], `${path}.securityContext`),
    ...(textOf(spec['serviceAccountName']) === ''
      ? []
      : named(spec['serviceAccountName'], `${path}.serviceAccountName`, isDnsSubdomain)),
    ...deadlineProblems(spec['activeDeadlineSeconds'], `${path}.activeDeadlineSeconds`),
    ...each(spec['hostAliases'], `${path}.hostAliases`, aliasProblems),
  ];
}

function deadlineProblems(seconds: unknown, path: string): Causes {
  const fits = seconds === undefined || (typeof seconds === 'number' && seconds >= 1 && seconds <= 2_147_483_647);
  return fits ? [] : [invalidValue(path, seconds, 'must be between 1 and 2147483647, inclusive')];
}

function aliasProblems({ ip, hostnames }: JsonMap, path: string): Causes {
  const isIp = ['ipv4', 'ipv6'].some((format) => hasFormat(textOf(ip), format) === true);
  return [
    ...(isIp ? [] : [invalidValue(`${path}.ip`, textOf(ip), NO_IP)]),
    ...asArray(hostnames).flatMap((name, index) => named(name, `${path}.hostnames[${String(index)}]`, isDnsSubdomain)),
  ];
}

export const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';

/** Of the template of a workload; `path` is that of the template. */
export function validateTemplate(template: unknown, path: string): Causes {
  const metadata = mapAt(template, 'metadata');
  return [
    ...labelProblems(metadata['labels'], `${path}.metadata.labels`),
    ...annotationProblems(metadata['annotations'], `${path}.metadata.annotations`),
    ...validatePodSpec(mapAt(template, 'spec'), `${path}.spec`),
  ];
}

/** Pods of what keeps them running restart always, and have no deadline. */
export function validateLasting(template: unknown, path: string, kind: string): Causes {
  const { restartPolicy, activeDeadlineSeconds } = mapAt(template, 'spec');
  return [
    ...oneOf(restartPolicy, `${path}.spec.restartPolicy`, ['Always']),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${path}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

/** Pods of Jobs end. */
export function validateEnding(template: unknown, path: string): Causes {
  const { restartPolicy } = mapAt(template, 'spec');
  if (restartPolicy === 'OnFailure' || restartPolicy === 'Never') return [];
  return [required(`${path}.spec.restartPolicy`, 'valid values: "OnFailure", "Never"')];
}
