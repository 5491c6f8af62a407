import { asKubepkgError, type KubepkgError } from '../api/errors.ts';

type Attempt<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly error: KubepkgError; readonly value?: undefined };

/** That something fails is an answer to a plan, too; a fault of kubepkg is none, and is thrown. */
export async function attempt<T>(ask: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await ask() };
  } catch (thrown) {
    const error = asKubepkgError(thrown);
    if (error.class === 'bug') throw thrown;
    return { error };
  }
}

/** An answer as well: there is nothing of a kind, or in a namespace, that is not there. */
export function meansAbsent({ code }: KubepkgError): boolean {
  return code === 'ApiNotFound' || code === 'KindNotServed';
}

/** What may not be looked at, or cannot be read, is not known: `note` is told of it. */
export async function ifPossible<T, Otherwise>(
  read: () => Promise<T>,
  otherwise: Otherwise,
  note?: (error: KubepkgError) => void,
): Promise<T | Otherwise> {
  const tried = await attempt(read);
  if (tried.error === undefined) return tried.value;
  note?.(tried.error);
  return otherwise;
}
