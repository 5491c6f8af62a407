import type { Failure } from '../../../src/compose/rehearsal/failure.ts';
import type { RehearsalSettings } from '../../../src/compose/rehearsal/rehearsals.ts';
import { type Decided, PATIENT, SHORT, SHORTER } from './decided.ts';
import { publish, type Published, type Push } from './published.ts';
import type { RealSide } from './real-side.ts';
import { desiredOf, RehearsedSide } from './rehearsed-side.ts';
import type { Shape } from './shape.ts';

/** What was decided in each case of a shape. */
type DecidedByCase = Readonly<Record<string, Decided>>;

/** Undefined: the upgrade as it is. */
type Case = Shape['failures'][number] | undefined;

function casesOf({ failures }: Shape): readonly Case[] {
  return [undefined, ...failures];
}

function titleOf(what: Case): string {
  return what?.join('=') ?? 'as it is';
}

function timeoutOf({ waitsInVain = false }: Shape, what: Case): string {
  if (what?.[1] === 'crash') return SHORTER;
  return waitsInVain || what !== undefined ? SHORT : PATIENT;
}

function failuresOf({ sources }: Published, what: Case): readonly Failure[] {
  if (what === undefined) return [];
  const [component, kind] = what;
  const { hooks, components } = desiredOf(sources[1]);
  const found = [...hooks, ...components].find(({ name }) => name === component);
  if (found === undefined) throw new Error(`there is no component ${component}`);
  return [{ component, namespace: found.namespace, releaseName: found.releaseName, kind }];
}

/** All cases at once; a chart that is not to render is one that really does not. */
export async function playReal(shape: Shape, push: Push, side: RealSide): Promise<DecidedByCase> {
  const played = casesOf(shape).map(async (what): Promise<readonly [string, Decided]> => {
    const broken = what?.[1] === 'render' ? what[0] : undefined;
    const published = await publish(push, shape, [['real', shape.name, ...(what ?? [])].join('-'), broken]);
    const failures = broken === undefined ? failuresOf(published, what) : [];
    return [titleOf(what), await side.play(published, failures, timeoutOf(shape, what))];
  });
  return Object.fromEntries(await Promise.all(played));
}

/** One case after the other, from one install. */
export async function rehearse(shape: Shape, push: Push, settings: RehearsalSettings): Promise<DecidedByCase> {
  const published = await publish(push, shape, [`staged-${shape.name}`]);
  return RehearsedSide.with(published, settings, async (side) => {
    const played: (readonly [string, Decided])[] = [];
    for (const what of casesOf(shape)) {
      const decided = await side.play(failuresOf(published, what), timeoutOf(shape, what));
      played.push([titleOf(what), decided]);
    }
    return Object.fromEntries(played);
  });
}
