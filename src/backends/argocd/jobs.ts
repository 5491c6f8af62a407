import { type ObjectRef, refKey } from '../../api/kube.ts';
import { sha256 } from '../../lib/digest.ts';
import { asArray, isRecord } from '../../lib/json.ts';
import { parseJson } from './parse-json.ts';

/** A Job of a release, as the chart describes it: Argo CD keeps nothing of what it applied. */
export interface KnownJob {
  /** Of what cannot be changed of it. */
  readonly template: string;
  /** It may be gone by itself once it has finished. */
  readonly mayVanish: boolean;
}

/** By the keys of their objects. */
export type KnownJobs = Readonly<Record<string, KnownJob>>;

export interface JobText {
  readonly ref: ObjectRef;
  readonly unchangeable: string;
  readonly mayVanish: boolean;
}

export function knownJobs(jobs: readonly JobText[]): KnownJobs {
  return Object.fromEntries(
    jobs.map(({ ref, unchangeable, mayVanish }) => [
      refKey(ref),
      { template: sha256(unchangeable).slice(0, 16), mayVanish },
    ]),
  );
}

export function writeJobs(jobs: KnownJobs): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(jobs).map(([key, { template, mayVanish }]) => [key, [template, mayVanish]])),
  );
}

/** Anybody may have edited it: what cannot be read is not known. */
export function readJobs(annotation: string | undefined): KnownJobs {
  const parsed = parseJson(annotation ?? '{}');
  if (!isRecord(parsed)) return {};
  const entries = Object.entries(parsed).flatMap(([key, value]) => {
    const [template, mayVanish] = asArray(value);
    return typeof template === 'string' ? [[key, { template, mayVanish: mayVanish === true }] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** Whose description changed from one delivery to the next. */
export function changedJobs(before: KnownJobs, after: KnownJobs): readonly string[] {
  return Object.keys(after).filter((key) => {
    const [old, wanted] = [before[key], after[key]];
    return old !== undefined && old.template !== wanted?.template;
  });
}
