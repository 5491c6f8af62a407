import type { PlanFacts, PredictedFinding } from '../../domain/plan/predictions/facts.ts';
import { imagesIn, wholeName } from '../../domain/plan/predictions/pod-images.ts';

const DIGEST = /@sha256:[a-f0-9]{64}$/;
const REMEDY = 'add it to spec.package.images as repository:tag@sha256:…, or give it a digest in the values';

/** Images of which nobody can tell later what they were. A package that pins none at all is only warned of. */
export function findLooseImages({ package: pkg, components }: PlanFacts): readonly PredictedFinding[] {
  const pinned = new Set(pkg.images.filter((image) => DIGEST.test(image)).map((image) => wholeName(image)));
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
      .filter((image) => !DIGEST.test(image) && !pinned.has(wholeName(image)))
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
