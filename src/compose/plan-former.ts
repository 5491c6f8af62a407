import type { KubeObject } from '../api/kube.ts';
import { objectOf } from './delivered-object.ts';
import type { ReleaseReader, ReleaseReaderQuery } from './release-reader.ts';

/** The objects of the newest delivery, in the namespaces where they are. */
export async function formerObjects(reader: ReleaseReader, query: ReleaseReaderQuery): Promise<readonly KubeObject[]> {
  const delivered = await reader.delivered(query);
  return (delivered?.documents ?? []).map(objectOf);
}
