import type { ClientCertificate } from './access.ts';

/** What one request is sent with. */
export interface Credentials {
  readonly authorization?: string;
  readonly certificate?: ClientCertificate;
}

export interface CredentialSource {
  current(): Promise<Credentials>;
  /** After a 401 to a request sent with `used`: true when others may be had now. */
  renew(used: Credentials): boolean;
}

/** Credentials that never change. */
export class FixedCredentials implements CredentialSource {
  readonly #credentials: Credentials;

  constructor(credentials: Credentials) {
    this.#credentials = credentials;
  }

  current(): Promise<Credentials> {
    return Promise.resolve(this.#credentials);
  }

  renew(): boolean {
    return false;
  }
}
