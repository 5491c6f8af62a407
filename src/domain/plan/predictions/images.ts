import type { ChartRef } from '../../../api/chart-ref.ts';
import { eachComponent, someOf } from './each-object.ts';
import type { ComponentFacts } from './facts.ts';
import { digestOf, imagesIn, wholeName } from './pod-images.ts';

/** Images whose tag says nothing of what runs. */
export const findFloatingImages = eachComponent((owner) => {
  const floating = imagesOf(owner).filter(
    (image) => digestOf(image) === undefined && ['', 'latest'].includes(tagOf(image)),
  );
  if (floating.length === 0) return undefined;
  return {
    message: `what runs can change without an upgrade: ${someOf(floating)}`,
    remedy: 'give the images a tag of their own, or a digest',
  };
});

/** Images with a tag, but no digest. */
export const findUnpinnedImages = eachComponent((owner) => {
  const unpinned = imagesOf(owner).filter(
    (image) => digestOf(image) === undefined && !['', 'latest'].includes(tagOf(image)),
  );
  if (unpinned.length === 0) return undefined;
  return {
    message: `no digest pins what is behind the tag: ${someOf(unpinned)}`,
    remedy: 'name the images with their digests, as repository:tag@sha256:…',
  };
});

/** Images that the source of the package does not list, so that a mirror of it lacks them. */
export const findUnlistedImages = eachComponent((owner, { package: { images } }) => {
  const unlisted =
    images.length === 0 ? [] : imagesOf(owner).filter((image) => !images.some((each) => isListed(image, each)));
  if (unlisted.length === 0) return undefined;
  return {
    message: `spec.images of the package does not list ${someOf(unlisted)}: a mirror made from it lacks them`,
    remedy: 'add them to spec.images of the PackageSource, or correct the values',
  };
});

/** Charts that come without a digest to verify them by. */
export const findUnpinnedCharts = eachComponent(({ component: { chart } }) => {
  if (isPinned(chart)) return undefined;
  return chart.kind === 'chart'
    ? { message: `no digest pins chart ${chart.name} ${chart.version}`, remedy: "add the chart's digest to the source" }
    : { message: `no digest pins the tree of chart ${chart.path}`, remedy: 'name the tree with its digest' };
});

function isPinned(chart: ChartRef): boolean {
  if (chart.digest !== undefined) return true;
  return chart.kind === 'tree' && (chart.treeDigest !== undefined || chart.url.includes('@sha256:'));
}

function imagesOf({ objects }: ComponentFacts): readonly string[] {
  return [...new Set(objects.flatMap(({ after }) => imagesIn(after)))].sort();
}

function isListed(image: string, listed: string): boolean {
  const [digest, known] = [digestOf(image), digestOf(listed)];
  if (digest !== undefined && known !== undefined && digest !== known) return false;
  return wholeName(image) === wholeName(listed) || (digest !== undefined && digest === known);
}

function tagOf(image: string): string {
  return /:([^/:]+)$/.exec(image.replace(/@.*/, ''))?.[1] ?? '';
}
