import { asArray, asString, at } from '../../lib/json.ts';
import { formatTime, parseTime } from '../../lib/time.ts';
import type { LogAnswer, LogLine, LogOptions, LogSource, LogTarget, Target } from '../model/api.ts';
import type { StoredObject } from '../model/object.ts';
import { type Core, requireLive } from './core.ts';
import { badRequest, methodNotAllowed } from './refusals.ts';

/** What a container of a pod has written. */
export function readLog(
  core: Core,
  source: LogSource | undefined,
  { target, options }: { readonly target: Target; readonly options: LogOptions },
): LogAnswer {
  const resource = core.kinds.require(target);
  if (!resource.subresources.includes('log')) throw methodNotAllowed();
  const pod = requireLive(core, resource, target);
  const place = placeOf(pod, options);
  if (at(pod, 'spec', 'nodeName') === undefined) return NOTHING;
  const lines = source?.lines(place);
  if (source === undefined || lines === undefined) throw notThere(pod, place);
  const wanted = selected(lines, options, core.clock.now());
  const format = (line: LogLine): string => formatted(line, options);
  return {
    isThere: true,
    text: limited(wanted.map(format).join(''), options),
    follow: (onText, onEnd) =>
      source.follow(
        place,
        (line) => {
          onText(format(line));
        },
        onEnd,
      ),
  };
}

/** Of a pod that no node has taken. */
const NOTHING: LogAnswer = {
  isThere: false,
  text: '',
  follow: (_onText, onEnd) => {
    onEnd();
    return { stop: () => undefined };
  },
};

function placeOf(pod: StoredObject, { container, previous = false }: LogOptions): LogTarget {
  const { name, namespace = '' } = pod.metadata;
  const containers = namesOf(pod, 'containers');
  const others = [...namesOf(pod, 'initContainers'), ...namesOf(pod, 'ephemeralContainers')];
  const chosen = container ?? '';
  if (chosen !== '') {
    if (!containers.includes(chosen) && !others.includes(chosen)) {
      throw badRequest(`container ${chosen} is not valid for pod ${name}`);
    }
    return { namespace, pod: name, container: chosen, previous };
  }
  const [only, ...more] = containers;
  if (only !== undefined && more.length === 0) return { namespace, pod: name, container: only, previous };
  const initial = others.length === 0 ? '' : ` or one of the init containers: [${others.join(' ')}]`;
  throw badRequest(
    `a container name must be specified for pod ${name}, choose one of: [${containers.join(' ')}]${initial}`,
  );
}

function namesOf(pod: StoredObject, field: string): readonly string[] {
  return asArray(at(pod, 'spec', field)).map((container) => asString(at(container, 'name')) ?? '');
}

function notThere(pod: StoredObject, { container, previous }: LogTarget): Error {
  const { name } = pod.metadata;
  const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(name)}`;
  if (previous) return badRequest(`previous terminated ${subject} not found`);
  const statuses = ['containerStatuses', 'initContainerStatuses'].flatMap((field) => asArray(at(pod, 'status', field)));
  const own = statuses.find((status) => at(status, 'name') === container);
  const reason = asString(at(own, 'state', 'waiting', 'reason')) ?? 'ContainerCreating';
  return badRequest(`${subject} is waiting to start: ${waitingText(reason)}`);
}

/** The kubelet words two of the reasons in its own way. */
function waitingText(reason: string): string {
  switch (reason) {
    case 'ImagePullBackOff':
      return 'trying and failing to pull image';
    case 'ErrImagePull':
      return "image can't be pulled";
    default:
      return reason;
  }
}

function selected(lines: readonly LogLine[], options: LogOptions, now: number): readonly LogLine[] {
  const { tailLines, sinceSeconds, sinceTime } = options;
  const since = sinceSeconds === undefined ? parseTime(sinceTime ?? '') : now - sinceSeconds * 1000;
  const young = Number.isNaN(since) ? lines : lines.filter(({ time }) => time >= since);
  if (tailLines === undefined) return young;
  return tailLines === 0 ? [] : young.slice(-tailLines);
}

function formatted({ time, text }: LogLine, { timestamps = false }: LogOptions): string {
  return timestamps ? `${formatTime(time).replace('Z', '000000Z')} ${text}\n` : `${text}\n`;
}

function limited(text: string, { limitBytes }: LogOptions): string {
  const bytes = Buffer.from(text);
  return limitBytes === undefined || bytes.length <= limitBytes ? text : bytes.subarray(0, limitBytes).toString();
}
