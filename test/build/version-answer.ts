import type { ChosenPackage } from '../../src/domain/resolve/solve/answer.ts';
import type { VersionRequest } from '../../src/domain/resolve/solve/request.ts';
import { resolveVersions } from '../../src/domain/resolve/solve/resolve-versions.ts';
import { aRequest } from './version-request.ts';

export function packagesOf(request: Partial<VersionRequest>): ReadonlyMap<string, ChosenPackage> {
  const answer = resolveVersions(aRequest(request));
  if (answer.kind !== 'resolved') throw new Error(JSON.stringify(answer));
  return new Map(answer.packages.map((one) => [one.name, one]));
}

/** `shop install 1.0.0`, `base upgrade 1.0.0 2.0.0`. */
export function outcomeOf(request: Partial<VersionRequest>): readonly string[] {
  const answer = resolveVersions(aRequest(request));
  if (answer.kind !== 'resolved') return [answer.kind];
  return answer.packages.map(({ name, action, from, to }) => [name, action, from, to].filter(Boolean).join(' '));
}

export function sentencesOf(request: Partial<VersionRequest>): readonly string[] {
  const answer = resolveVersions(aRequest(request));
  return answer.kind === 'impossible' ? answer.demands.map(({ sentence }) => sentence) : [answer.kind];
}
