import { asKubepkgError, type ErrorCode, isCode } from '../../api/errors.ts';
import type { CliHost } from '../host.ts';
import { oneLine } from '../text/sanitize.ts';
import type { Paint } from '../text/paint.ts';
import { writeLines } from '../write-lines.ts';

const ABOUT_ONE_THING: readonly ErrorCode[] = [
  'ApiForbidden',
  'KindNotServed',
  'HelmFailed',
  'ApiConflict',
  'DigestMismatch',
  'Unsupported',
];

/** What could not be read while the rest was; each once, in the order of their texts. */
export class Troubles {
  readonly #texts = new Map<string, string | undefined>();

  /**
   * What a read gives; where it may not be read, or is not there to be asked, that is noted and the rest goes on.
   * `also`: further errors that are about this one thing alone.
   */
  async attempt<T>(
    what: string,
    read: () => Promise<T>,
    { also = [] }: { readonly also?: readonly ErrorCode[] } = {},
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (thrown) {
      if (!isCode(thrown, ...ABOUT_ONE_THING, ...also)) throw thrown;
      const { message, hint } = asKubepkgError(thrown);
      this.note(`${what} cannot be read: ${message}`, hint);
      return undefined;
    }
  }

  note(text: string, hint?: string): void {
    this.#texts.set(text, hint);
  }

  /** One warning a line, and each remedy once. */
  report({ stderr }: CliHost, paint: Paint): void {
    const sorted = [...this.#texts].sort(([a], [b]) => (a < b ? -1 : 1));
    const hints = new Set(sorted.flatMap(([, hint]) => hint ?? []));
    writeLines(stderr, [
      ...sorted.map(([text]) => `${paint('yellow', 'warning:')} ${oneLine(text)}`),
      ...[...hints].map((hint) => `${paint('cyan', 'hint:')} ${oneLine(hint)}`),
    ]);
  }
}
