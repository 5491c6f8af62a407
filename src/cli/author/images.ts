import type { KubeObject } from '../../api/kube.ts';
import type { PlanFacts, PredictedFinding } from '../../domain/plan/predictions/facts.ts';
import { asArray, asString, at } from '../../lib/json.ts';

const POD_SPECS: readonly (readonly string[])[] = [
  ['spec'],
  ['spec', 'template', 'spec'],
  ['spec', 'jobTemplate', 'spec', 'template', 'spec'],
];
const WORKLOADS = /^(v1|apps\/v1|batch\/v1)$/;
const CONTAINERS = ['initContainers', 'containers'] as const;
const DIGEST = /@sha256:[a-f0-9]{64}$/;
const REMEDY = 'add it to spec.package.images as repository:tag@sha256:…, or give it a digest in the values';

/** Images of which nobody can tell later what they were. A package that pins none at all is only warned of. */
export function findLooseImages({ package: pkg, components }: PlanFacts): readonly PredictedFinding[] {
  const pinned = new Set(pkg.images.filter((image) => DIGEST.test(image)).map((image) => tagged(image)));
  const listed = pkg.images
    .filter((image) => !DIGEST.test(image))
    .map((image) => ({
      code: 'ImageUnpinned',
      severity: 'error' as const,
      subject: 'spec.package.images',
      message: `${image} has no digest`,
      remedy: 'write it as repository:tag@sha256:…',
    }));
  const loose = components.flatMap(({ component, objects }) =>
    [...new Set(objects.flatMap(({ after }) => imagesIn(after)))]
      .filter((image) => !DIGEST.test(image) && !pinned.has(tagged(image)))
      .map((image) => ({ subject: `component ${component.name}`, image })),
  );
  if (pkg.images.length === 0) return loose.length === 0 ? [] : [nonePinned(loose.map(({ image }) => image))];
  const unpinned = loose.map(({ subject, image }) => ({
    code: 'ImageUnpinned',
    severity: 'error' as const,
    subject,
    message: `no digest pins image ${image}`,
    remedy: REMEDY,
  }));
  return [...listed, ...unpinned];
}

function nonePinned(images: readonly string[]): PredictedFinding {
  const names = [...new Set(images)].sort();
  const shown = names.slice(0, 5).join(', ');
  const more = names.length > 5 ? ` and ${String(names.length - 5)} more` : '';
  return {
    code: 'ImagesNotPinned',
    severity: 'warning',
    subject: 'spec.package.images',
    message: `the package pins no images: ${shown}${more}`,
    remedy: 'list every image there as repository:tag@sha256:…',
  };
}

function imagesIn(object: KubeObject): readonly string[] {
  if (!WORKLOADS.test(object.apiVersion)) return [];
  return POD_SPECS.flatMap((path) =>
    CONTAINERS.flatMap((containers) => asArray(at(object, ...path, containers))).flatMap((container) => {
      const image = asString(at(container, 'image'));
      return image === undefined || image === '' ? [] : [image];
    }),
  );
}

/** With the registry and the tag that a runtime fills in, and without the digest. */
function tagged(image: string): string {
  const name = image.replace(/@.*$/, '');
  const [first = ''] = name.split('/');
  const hasHost = name.includes('/') && (/[.:]/.test(first) || first === 'localhost');
  const whole = hasHost ? name : `docker.io/${name.includes('/') ? '' : 'library/'}${name}`;
  return /:[^/:]+$/.test(whole) ? whole : `${whole}:latest`;
}
