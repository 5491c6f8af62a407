import { asKubepkgError, type ErrorCode } from '../../api/errors.ts';
import type { CliHost } from '../host.ts';
import { nodeTrouble } from '../text/node-trouble.ts';
import { oneLine } from '../text/sanitize.ts';
import type { Paint } from '../text/paint.ts';
import { writeSentences } from '../write-sentences.ts';

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
  readonly #reported = new Set<string>();

  /**
   * What a read gives; where it may not be read, or is not there to be asked, that is noted and the rest goes on.
   * `transient`: so too where it may be there at the next look.
   */
  async attempt<T>(
    what: string,
    read: () => Promise<T>,
    { transient = false }: { readonly transient?: boolean } = {},
  ): Promise<T | undefined> {
    try {
      return await read();
    } catch (thrown) {
      const error = asKubepkgError(thrown);
      if (!ABOUT_ONE_THING.includes(error.code) && !(transient && error.class === 'transient')) throw thrown;
      const { message, hint } = error;
      this.note(`${what} cannot be read: ${nodeTrouble(message)}`, hint);
      return undefined;
    }
  }

  note(text: string, hint?: string): void {
    this.#texts.set(text, hint);
  }

  /** All that was noted, in the order of their texts. */
  texts(): readonly string[] {
    return [...this.#texts.keys()].sort().map((text) => oneLine(text));
  }

  /** What has not been reported yet: one warning a line, and each remedy once. */
  report({ stderr }: CliHost, paint: Paint): void {
    const fresh = [...this.#texts].filter(([text]) => !this.#reported.has(text));
    const sorted = fresh.sort(([a], [b]) => (a < b ? -1 : 1));
    const hints = new Set(sorted.flatMap(([, hint]) => (hint === undefined || this.#reported.has(hint) ? [] : hint)));
    for (const text of [...fresh.map(([one]) => one), ...hints]) this.#reported.add(text);
    writeSentences(stderr, [
      ...sorted.map(([text]) => `${paint('yellow', 'warning:')} ${oneLine(text)}`),
      ...[...hints].map((hint) => `${paint('cyan', 'hint:')} ${oneLine(hint)}`),
    ]);
  }
}
