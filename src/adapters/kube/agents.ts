import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent } from 'node:https';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { ClientCertificate, TlsSettings } from './access.ts';
import { TunnelAgent } from './tunnel-agent.ts';

export interface AgentSettings {
  readonly secure: boolean;
  readonly tls: TlsSettings;
  readonly maxSockets: number;
  /** The proxy that TLS connections are tunnelled through. */
  readonly tunnel?: URL;
}

interface AgentPair {
  /** Keeps connections for ordinary requests. */
  readonly pooled: HttpAgent;
  /** One connection per watch: a broken one never reaches a request, nor the other way round. */
  readonly single: HttpAgent;
}

/** Idle connections are closed before a firewall forgets them and leaves them dead without a word. */
const IDLE_MS = 60_000;

/** The connections to one server; made anew when the client certificate changes. */
export class AgentPool {
  readonly #settings: AgentSettings;
  #certificate: ClientCertificate | undefined;
  #pair: AgentPair | undefined;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
  }

  agent(use: keyof AgentPair, certificate: ClientCertificate | undefined): HttpAgent {
    if (this.#pair === undefined || !sameCertificate(this.#certificate, certificate)) {
      this.#retire();
      this.#certificate = certificate;
      this.#pair = this.#create(certificate);
    }
    return this.#pair[use];
  }

  close(): void {
    this.#pair?.pooled.destroy();
    this.#pair?.single.destroy();
    this.#pair = undefined;
  }

  /** Closes the connections that nobody uses: after one was silent, the others may be dead as well. */
  dropIdle(): void {
    const idle = this.#pair?.pooled.freeSockets ?? {};
    for (const sockets of Object.values(idle)) for (const socket of sockets ?? []) socket.destroy();
  }

  /** Requests under way end in peace; idle connections close now, the others when they become idle. */
  #retire(): void {
    if (this.#pair !== undefined) this.#pair.pooled.maxFreeSockets = 0;
    this.dropIdle();
  }

  #create(certificate: ClientCertificate | undefined): AgentPair {
    const { secure, maxSockets } = this.#settings;
    const kept = { keepAlive: true, maxSockets, timeout: IDLE_MS };
    if (!secure) return { pooled: new HttpAgent(kept), single: new HttpAgent({ keepAlive: false }) };
    // Certificates are read once, and not for every connection.
    const secureContext = contextOf(this.#settings.tls, certificate);
    const common = { ...tlsOptions(this.#settings.tls), secureContext };
    return {
      pooled: this.#tlsAgent({ ...common, ...kept }),
      single: this.#tlsAgent({ ...common, keepAlive: false }),
    };
  }

  #tlsAgent(options: AgentOptions): HttpsAgent {
    const { tunnel } = this.#settings;
    return tunnel === undefined ? new HttpsAgent(options) : new TunnelAgent(options, tunnel);
  }
}

function contextOf({ ca }: TlsSettings, certificate: ClientCertificate | undefined): SecureContext {
  return createSecureContext({ minVersion: 'TLSv1.2', ...(ca === undefined ? {} : { ca }), ...certificate });
}

function tlsOptions(tls: TlsSettings): AgentOptions {
  return {
    rejectUnauthorized: !tls.insecure,
    ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
  };
}

function sameCertificate(a: ClientCertificate | undefined, b: ClientCertificate | undefined): boolean {
  return a?.cert === b?.cert && a?.key === b?.key;
}
