import { satisfies } from '../../lib/semver/constraint.ts';
import { parseVersion } from '../../lib/semver/version.ts';
import type { Match, ObjectMatch } from './types.ts';

/** A workload that a pod belongs to, directly or by another one. */
export interface WorkloadFacts {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What rules can be chosen by. */
export interface PodFacts {
  /** The pod itself first, the workload that a user made last. */
  readonly chain: readonly WorkloadFacts[];
  readonly images: readonly string[];
}

export function matchesPod(match: Match, { chain, images }: PodFacts): boolean {
  return (
    chain.some((facts) => matchesName(match, facts)) &&
    (match.release === undefined || releaseOf(chain) === match.release) &&
    (match.version === undefined || matchesVersion(match.version, versionOf(chain))) &&
    (match.image === undefined || images.some((image) => matchesGlob(match.image, image)))
  );
}

function matchesName(match: Match, facts: WorkloadFacts): boolean {
  return (
    (match.kind === undefined || match.kind === facts.kind) &&
    matchesGlob(match.namespace, facts.namespace) &&
    matchesGlob(match.name, facts.name)
  );
}

export function matchesObject(
  match: Partial<ObjectMatch>,
  object: { readonly apiVersion: string; readonly kind: string; readonly namespace: string; readonly name: string },
): boolean {
  return (
    (match.apiVersion === undefined || groupOf(match.apiVersion) === groupOf(object.apiVersion)) &&
    (match.kind === undefined || match.kind === object.kind) &&
    matchesGlob(match.namespace, object.namespace) &&
    matchesGlob(match.name, object.name)
  );
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** `*` is any text and `?` any character; no pattern takes everything. */
export function matchesGlob(pattern: string | undefined, text: string): boolean {
  if (pattern === undefined || pattern === text) return true;
  const parts = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${parts}$`, 's').test(text);
}

function releaseOf(chain: readonly WorkloadFacts[]): string | undefined {
  return (
    first(chain, ({ annotations }) => annotations['meta.helm.sh/release-name']) ??
    first(chain, ({ labels }) => labels['app.kubernetes.io/instance'])
  );
}

/** The template says it most exactly, as pods of two versions may run at the same time. */
function versionOf(chain: readonly WorkloadFacts[]): string | undefined {
  return (
    first(chain, ({ labels }) => chartVersion(labels['helm.sh/chart'])) ??
    first(chain, ({ labels }) => labels['app.kubernetes.io/version'])
  );
}

/** `web-1.2.3_4` is version `1.2.3+4` of the chart `web`: labels have no plus sign. */
function chartVersion(label: string | undefined): string | undefined {
  return label === undefined ? undefined : /-(v?\d+\.\d+.*)$/.exec(label)?.[1]?.replace('_', '+');
}

function matchesVersion(constraint: NonNullable<Match['version']>, text: string | undefined): boolean {
  if (text === undefined) return false;
  const parsed = parseVersion(text);
  return parsed.kind === 'version' && satisfies(parsed.version, constraint);
}

function first(
  chain: readonly WorkloadFacts[],
  read: (facts: WorkloadFacts) => string | undefined,
): string | undefined {
  return chain.map(read).find((text) => text !== undefined);
}
