import { KubepkgError } from '../../api/errors.ts';
import { asString, at } from '../../lib/json.ts';
import { parseTime } from '../../lib/time.ts';
import type { Clock } from '../../ports/system.ts';
import type { ExecPlugin } from './access.ts';
import type { CredentialSource, Credentials } from './credentials.ts';
import { type PluginEnd, runPlugin } from './run-plugin.ts';

const TIMEOUT_MS = 60_000;
/** Someone may be typing a password. */
const INTERACTIVE_TIMEOUT_MS = 600_000;
const STDERR_SHOWN = 500;

export interface ExecOptions {
  readonly plugin: ExecPlugin;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Standard input is a terminal. */
  readonly terminal: boolean;
  /** For messages. */
  readonly origin: string;
}

interface Held {
  readonly credentials: Credentials;
  /** Milliseconds since the epoch; absent: until the server refuses them. */
  readonly expiresAt: number | undefined;
}

/** Credentials that a plugin prints, asked for anew when they expire or are refused; never twice at once. */
export class ExecCredentials implements CredentialSource {
  readonly #options: ExecOptions;
  #held: Held | undefined;
  #asking: Promise<Credentials> | undefined;

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  current(): Promise<Credentials> {
    const held = this.#held;
    const usable = held !== undefined && (held.expiresAt === undefined || held.expiresAt > this.#options.clock.now());
    if (usable) return Promise.resolve(held.credentials);
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  renew(used: Credentials): boolean {
    if (this.#held?.credentials === used) this.#held = undefined;
    return true;
  }

  async #ask(): Promise<Credentials> {
    const { plugin, clock } = this.#options;
    const interactive = this.#interactive();
    const end = await runPlugin(
      {
        command: plugin.command,
        args: plugin.args,
        env: { ...this.#options.env, ...plugin.env, KUBERNETES_EXEC_INFO: execInfo(plugin, interactive) },
        interactive,
        timeoutMs: interactive ? INTERACTIVE_TIMEOUT_MS : TIMEOUT_MS,
      },
      clock,
    );
    this.#held = this.#heldFrom(this.#stdoutOf(end));
    return this.#held.credentials;
  }

  #interactive(): boolean {
    const { plugin, terminal } = this.#options;
    if (plugin.interactiveMode === 'Always' && !terminal) {
      throw this.#invalid('needs a terminal (interactiveMode Always)', 'run the command from a terminal');
    }
    return plugin.interactiveMode !== 'Never' && terminal;
  }

  #stdoutOf(end: PluginEnd): string {
    switch (end.kind) {
      case 'not-started':
        throw this.#invalid(
          `cannot be started: ${end.cause}`,
          this.#options.plugin.installHint ?? 'install it, or correct exec.command in the kubeconfig',
        );
      case 'timed-out':
        throw this.#failed('did not end in time');
      case 'exited':
        if (end.exitCode === 0) return end.stdout;
        throw this.#failed(
          `ended with ${String(end.exitCode ?? 'a signal')}: ${end.stderr.trim().slice(-STDERR_SHOWN)}`,
        );
    }
  }

  #heldFrom(stdout: string): Held {
    const { plugin } = this.#options;
    const printed = parse(stdout);
    if (at(printed, 'kind') !== 'ExecCredential' || at(printed, 'apiVersion') !== plugin.apiVersion) {
      throw this.#invalid(`printed no ExecCredential of ${plugin.apiVersion}`, 'use the apiVersion that it speaks');
    }
    const status = at(printed, 'status');
    const credentials = credentialsOf(status);
    if (credentials === undefined) {
      throw this.#invalid('printed neither a token nor a certificate with its key', 'correct the plugin');
    }
    const expires = asString(at(status, 'expirationTimestamp'));
    const expiresAt = expires === undefined ? undefined : parseTime(expires);
    if (Number.isNaN(expiresAt))
      throw this.#invalid('printed an expirationTimestamp that is no time', 'correct the plugin');
    return { credentials, expiresAt };
  }

  #invalid(fault: string, hint: string): KubepkgError {
    return new KubepkgError('KubeconfigInvalid', this.#sentence(fault), { hint });
  }

  /** What it could not do now it may do later, as when its own server is away. */
  #failed(fault: string): KubepkgError {
    const hint = `run ${this.#options.plugin.command} by hand to see why`;
    return new KubepkgError('ApiUnauthorized', this.#sentence(fault), { hint });
  }

  #sentence(fault: string): string {
    return `the credential plugin ${this.#options.plugin.command} of ${this.#options.origin} ${fault}`;
  }
}

function credentialsOf(status: unknown): Credentials | undefined {
  const token = asString(at(status, 'token'));
  const cert = asString(at(status, 'clientCertificateData'));
  const key = asString(at(status, 'clientKeyData'));
  if ((cert === undefined) !== (key === undefined) || (token === undefined && cert === undefined)) return undefined;
  return {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(cert === undefined || key === undefined ? {} : { certificate: { cert, key } }),
  };
}

function execInfo(plugin: ExecPlugin, interactive: boolean): string {
  const spec = plugin.cluster === undefined ? { interactive } : { cluster: plugin.cluster, interactive };
  return JSON.stringify({ kind: 'ExecCredential', apiVersion: plugin.apiVersion, spec });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is not JSON is no ExecCredential; the caller says so.
    return undefined;
  }
}
