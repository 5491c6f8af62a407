import { KubepkgError } from '../../api/errors.ts';

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new KubepkgError('ApiServerError', 'the API server sent an answer that is not JSON', { cause: error });
  }
}
