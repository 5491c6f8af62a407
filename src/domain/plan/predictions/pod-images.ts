import type { KubeObject } from '../../../api/kube.ts';
import { asArray, asString, at } from '../../../lib/json.ts';

const POD_SPECS: readonly (readonly string[])[] = [
  ['spec'],
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
];
const WORKLOADS = /^(v1|apps\/v1|batch\/v1)$/;
const CONTAINERS = ['initContainers', 'containers', 'ephemeralContainers'] as const;

/** Images of the containers of an object of Kubernetes; what a custom resource has somebody run is not known. */
export function imagesIn(object: KubeObject): readonly string[] {
  if (!WORKLOADS.test(object.apiVersion)) return [];
  return POD_SPECS.flatMap((path) =>
    CONTAINERS.flatMap((containers) => asArray(at(object, ...path, containers)))
      .map((container) => asString(at(container, 'image')) ?? '')
      .filter((image) => image !== ''),
  );
}

/** With the registry and the tag that a container runtime fills in, and without the digest. */
export function wholeName(image: string): string {
  const name = image.replace(/@.*$/, '');
  const [first = ''] = name.split('/');
  const hasHost = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const whole = hasHost ? name : `docker.io/${name.includes('/') ? '' : 'library/'}${name}`;
  return /:[^/:]+$/.test(whole) ? whole : `${whole}:latest`;
}

export function digestOf(image: string): string | undefined {
  return image.split('@')[1];
}
