import { readFile } from 'node:fs/promises';
import { KubepkgError } from '../../api/errors.ts';
import type { Clock } from '../../ports/system.ts';
import type { CredentialSource, Credentials } from './credentials.ts';

const REREAD_MS = 60_000;

/** A bearer token in a file that someone else renews, as the kubelet does in pods. */
export class TokenFile implements CredentialSource {
  readonly #path: string;
  readonly #base: Credentials;
  readonly #clock: Clock;
  #current: Credentials | undefined;
  #readAt = 0;

  /** `base`: what is sent beside the token, or until there is one. */
  constructor(path: string, base: Credentials, clock: Clock) {
    this.#path = path;
    this.#base = base;
    this.#clock = clock;
  }

  async current(): Promise<Credentials> {
    const age = this.#clock.now() - this.#readAt;
    if (this.#current === undefined || age < 0 || age >= REREAD_MS) await this.#refresh();
    const known = this.#current ?? this.#base;
    if (known.authorization !== undefined) return known;
    throw new KubepkgError('ApiUnauthorized', `the token file ${this.#path} is empty or cannot be read`, {
      hint: 'see that whoever writes it works, and that it is readable',
    });
  }

  renew(used: Credentials): boolean {
    if (used === this.#current) this.#readAt = -REREAD_MS;
    return true;
  }

  async #refresh(): Promise<void> {
    const token = await this.#read();
    this.#readAt = this.#clock.now();
    if (token === undefined) return;
    const authorization = `Bearer ${token}`;
    if (this.#current?.authorization !== authorization) this.#current = { ...this.#base, authorization };
  }

  async #read(): Promise<string | undefined> {
    try {
      const token = (await readFile(this.#path, 'utf8')).trim();
      return token === '' ? undefined : token;
    } catch {
      // The last token that could be read stays in use: the file may be being replaced at this moment.
      return undefined;
    }
  }
}
