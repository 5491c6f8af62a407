import { isCode } from '../../api/errors.ts';

const MAX_TRIES = 5;

/** helm-controller writes its status at any time: what meets such a write is done again, from its read on. */
export async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let left = MAX_TRIES; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 1 || !isCode(error, 'ApiConflict')) throw error;
    }
  }
}
