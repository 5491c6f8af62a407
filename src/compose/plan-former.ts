import type { KubeObject } from '../api/kube.ts';
import { asString, at, isRecord } from '../lib/json.ts';
import { parseYamlDocuments } from '../lib/yaml.ts';
import type { ReleaseReader, ReleaseReaderQuery } from './release-reader.ts';

/** The objects of the newest delivery, in the namespaces where they are. */
export async function formerObjects(reader: ReleaseReader, query: ReleaseReaderQuery): Promise<readonly KubeObject[]> {
  const delivered = await reader.delivered(query);
  return (delivered?.documents ?? []).flatMap(({ ref, text }) =>
    parseYamlDocuments(text, 'manifest').flatMap((document): readonly KubeObject[] => {
      const isMeant = isRecord(document) && asString(at(document, 'metadata', 'name')) === ref.name;
      if (!isMeant) return [];
      const object = document as unknown as KubeObject;
      const { namespace } = ref;
      const placed = namespace === undefined ? {} : { namespace };
      return [{ ...object, metadata: { ...object.metadata, ...placed } }];
    }),
  );
}
