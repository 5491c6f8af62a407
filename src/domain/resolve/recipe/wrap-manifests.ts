import type { KubeObject } from '../../../api/kube.ts';
import { writeYaml } from '../../../lib/yaml.ts';

/** The objects of one source, in its order. */
export interface ManifestSource {
  readonly name: string;
  readonly objects: readonly KubeObject[];
}

/**
 * Files of a chart that applies objects exactly as they are, by their path in it: nothing of them is taken for a
 * template. CRDs go into the crds folder where that is wanted: a release record has no room for large ones.
 */
export function wrapManifests(
  sources: readonly ManifestSource[],
  { crdsDir }: { readonly crdsDir: boolean },
): Readonly<Record<string, string>> {
  const files: Record<string, string> = { 'values.yaml': '{}\n' };
  for (const { name, objects } of sources) {
    const crds = crdsDir ? objects.filter(isCrd) : [];
    const others = objects.filter((object) => !crds.includes(object));
    if (crds.length > 0) files[`crds/${name}.yaml`] = documents(crds);
    if (others.length > 0) files[`templates/${name}.yaml`] = escapeTemplate(documents(others));
  }
  return files;
}

export function documents(objects: readonly KubeObject[]): string {
  return objects.map((object) => `---\n${writeYaml(object)}`).join('');
}

/** A template that renders to this very text. */
export function escapeTemplate(text: string): string {
  return text.replaceAll('{{', '{{ "{{" }}');
}

export function isCrd({ apiVersion, kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/');
}
