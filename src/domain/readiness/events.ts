import type { KubeObject } from '../../api/kube.ts';
import { groupOf, textOf } from './fields.ts';

/** Message of the newest warning about an object whose text, `Reason: message`, is accepted. */
export function warningAbout(
  object: KubeObject,
  related: readonly KubeObject[],
  accepts: (text: string) => boolean = () => true,
): string | undefined {
  const warnings = related.filter((item) => isWarningAbout(object, item) && accepts(describe(item)));
  const newest = [...warnings].sort((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))[0];
  return newest === undefined ? undefined : textOf(newest, 'message');
}

function describe(event: KubeObject): string {
  return `${textOf(event, 'reason')}: ${textOf(event, 'message')}`;
}

function isWarningAbout(object: KubeObject, item: KubeObject): boolean {
  if (item.kind !== 'Event' || item.type !== 'Warning') return false;
  const { uid } = object.metadata;
  const about = textOf(item, 'involvedObject', 'uid');
  if (uid !== undefined && about !== '') return uid === about;
  return (
    textOf(item, 'involvedObject', 'kind') === object.kind &&
    textOf(item, 'involvedObject', 'name') === object.metadata.name &&
    textOf(item, 'involvedObject', 'namespace') === (object.metadata.namespace ?? '') &&
    groupOf(textOf(item, 'involvedObject', 'apiVersion')) === groupOf(object.apiVersion)
  );
}

/** Times are RFC 3339 in UTC, so their order is that of the text; the name decides between equal ones. */
function sortKey(event: KubeObject): string {
  const time = textOf(event, 'lastTimestamp') || textOf(event, 'eventTime') || event.metadata.creationTimestamp || '';
  return `${time} ${event.metadata.name}`;
}
