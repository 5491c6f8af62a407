import { asString, at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';

const UID_LABEL = 'batch.kubernetes.io/controller-uid';
const NAME_LABEL = 'batch.kubernetes.io/job-name';

/** A Job knows its pods by its own uid, unless it has a selector by hand. */
export function prepareJob(object: JsonMap, { uid }: { readonly uid: string }): JsonMap {
  const spec = isRecord(object['spec']) ? object['spec'] : {};
  if (spec['manualSelector'] === true) return object;
  const name = asString(at(object, 'metadata', 'name')) ?? '';
  const labels = { [UID_LABEL]: uid, [NAME_LABEL]: name, 'controller-uid': uid, 'job-name': name };
  const selector = isRecord(spec['selector']) ? spec['selector'] : {};
  const matchLabels = isRecord(selector['matchLabels']) ? selector['matchLabels'] : {};
  const own = at(object, 'metadata', 'labels');
  const metadata = object['metadata'];
  const template = withLabels(spec['template'], labels);
  return {
    ...object,
    // A Job without labels of its own has those of its pods, these included.
    ...(own === undefined || sameLabels(own, at(spec, 'template', 'metadata', 'labels'))
      ? {
          metadata: {
            ...(isRecord(metadata) ? metadata : {}),
            labels: sorted({ ...(isRecord(own) ? own : {}), ...labels }),
          },
        }
      : {}),
    spec: { ...spec, selector: { ...selector, matchLabels: sorted({ [UID_LABEL]: uid, ...matchLabels }) }, template },
  };
}

function sameLabels(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function withLabels(template: unknown, labels: JsonMap): unknown {
  if (!isRecord(template)) return template;
  const metadata = isRecord(template['metadata']) ? template['metadata'] : {};
  const own = isRecord(metadata['labels']) ? metadata['labels'] : {};
  return { ...template, metadata: { ...metadata, labels: sorted({ ...labels, ...own }) } };
}

/** As Go writes maps. */
function sorted(map: JsonMap): JsonMap {
  return Object.fromEntries(Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1)));
}
