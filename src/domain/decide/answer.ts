import { ANNOTATION } from '../../api/names.ts';
import type { DesiredPackage } from '../resolve/desired.ts';
import type { World } from './world.ts';

/** Annotations of a revision: what it answers to, so that the package rests until something else is wanted. */
export function answerTo(world: World, desired: DesiredPackage | undefined): Readonly<Record<string, string>> {
  const retry = world.package.metadata.annotations?.[ANNOTATION.retry];
  return {
    ...(desired === undefined ? {} : { [ANNOTATION.desiredDigest]: desired.digest }),
    // The token that the digest was made with.
    ...(retry === undefined ? {} : { [ANNOTATION.retry]: retry }),
  };
}
