import type { JsonMap } from '../model/object.ts';

/**
 * An object while its defaults are filled in: its own fields may be set; what is inside them belongs to the request and
 * is replaced, never changed. Inside is still as it was sent, so that nothing may be taken for granted there.
 */
export type Draft = Record<string, unknown>;

export type SetDefaults = (draft: Draft) => void;

/** Sets each of these that is not there. */
export function absent(values: JsonMap): SetDefaults {
  return (draft) => {
    for (const [name, value] of Object.entries(values)) {
      if (draft[name] === undefined && value !== undefined) draft[name] = value;
    }
  };
}
