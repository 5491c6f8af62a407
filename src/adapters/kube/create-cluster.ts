import { KubepkgError } from '../../api/errors.ts';
import type { Clock } from '../../ports/system.ts';
import type { ClusterAccess } from './access.ts';
import { type CredentialSource, type Credentials, FixedCredentials } from './credentials.ts';
import { ExecCredentials } from './exec-credentials.ts';
import { inClusterAccess } from './in-cluster.ts';
import { KubeClient } from './kube-client.ts';
import { accessOf, loadKubeconfig } from './kubeconfig.ts';
import { proxyFor } from './proxy.ts';
import { TokenFile } from './token-file.ts';
import { Transport } from './transport.ts';

export interface ClientSettings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `kubepkg/VERSION`. */
  readonly userAgent: string;
  /** Standard input is a terminal that a credential plugin may use. */
  readonly terminal?: boolean;
  /** Connections at once, watches aside. */
  readonly maxSockets?: number;
  readonly timeoutMs?: number;
  readonly strictGroups?: readonly string[];
  readonly onError?: (error: unknown) => void;
}

export interface ClusterChoice extends ClientSettings {
  /** Path of a kubeconfig; absent: KUBECONFIG, ~/.kube/config, or the pod's service account. */
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

/** A client for the cluster that the kubeconfig, or the pod that this runs in, points to. Asks the server nothing yet. */
export function createCluster(choice: ClusterChoice): KubeClient {
  return createClient(findAccess(choice), choice);
}

export function findAccess(choice: Pick<ClusterChoice, 'kubeconfig' | 'context' | 'env'>): ClusterAccess {
  const config = loadKubeconfig({ file: choice.kubeconfig, env: choice.env });
  if (config !== undefined) return accessOf(config, choice.context);
  const access = choice.context === undefined ? inClusterAccess(choice.env) : undefined;
  if (access !== undefined) return access;
  throw new KubepkgError('KubeconfigInvalid', 'there is no kubeconfig, and this does not run in a pod', {
    hint: 'give one with --kubeconfig or KUBECONFIG, or put it at ~/.kube/config',
  });
}

/** Whether whoever reads this kubeconfig runs a credential plugin. What is wrong with it is said where it is used. */
export function usesCredentialPlugin(choice: Pick<ClusterChoice, 'kubeconfig' | 'context' | 'env'>): boolean {
  try {
    return findAccess(choice).user.exec !== undefined;
  } catch (error) {
    if (error instanceof KubepkgError) return false;
    throw error;
  }
}

export function createClient(access: ClusterAccess, settings: ClientSettings): KubeClient {
  const { clock, strictGroups, onError } = settings;
  const transport = new Transport({
    access,
    credentials: credentialsOf(access, settings),
    clock,
    userAgent: settings.userAgent,
    maxSockets: settings.maxSockets ?? 32,
    timeoutMs: settings.timeoutMs ?? 30_000,
    proxy: proxyFor(access.server, access.proxyUrl, settings.env),
  });
  return new KubeClient({
    transport,
    clock,
    ...(strictGroups === undefined ? {} : { strictGroups }),
    ...(onError === undefined ? {} : { onError }),
  });
}

/** Fixed credentials are preferred to a plugin, and a token file to a written token, as in kubectl. */
function credentialsOf(access: ClusterAccess, settings: ClientSettings): CredentialSource {
  const { user, origin } = access;
  const { clock, env } = settings;
  const fixed = fixedCredentials(access);
  if (user.tokenFile !== undefined) return new TokenFile(user.tokenFile, fixed, clock);
  const nothingFixed = fixed.authorization === undefined && fixed.certificate === undefined;
  if (user.exec === undefined || !nothingFixed) return new FixedCredentials(fixed);
  return new ExecCredentials({ plugin: user.exec, clock, env, terminal: settings.terminal ?? false, origin });
}

function fixedCredentials(access: ClusterAccess): Credentials {
  const { certificate, basic, token } = access.user;
  const pair = basic === undefined ? undefined : Buffer.from(`${basic.username}:${basic.password}`).toString('base64');
  const authorization = token === undefined ? pair && `Basic ${pair}` : `Bearer ${token}`;
  return {
    ...(authorization === undefined ? {} : { authorization }),
    ...(certificate === undefined ? {} : { certificate }),
  };
}
