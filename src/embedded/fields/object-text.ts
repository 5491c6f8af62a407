import { asString, at } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';

/** `(default/web; apps/v1, Kind=Deployment)` */
export function objectText(object: JsonMap): string {
  const [namespace, name] = ['namespace', 'name'].map((field) => asString(at(object, 'metadata', field)));
  return `(${namespace ?? ''}/${name ?? ''}; ${typeText(object)})`;
}

/** `apps/v1, Kind=Deployment`, `/v1, Kind=Pod` */
export function typeText(object: JsonMap): string {
  const apiVersion = asString(object.apiVersion) ?? '';
  return `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${asString(object.kind) ?? ''}`;
}
