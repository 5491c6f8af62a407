import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { asArray, at, isRecord } from '../../lib/json.ts';
import type { ClientCertificate, ExecInteractiveMode, ExecPlugin, Impersonation, UserAccess } from './access.ts';
import { pathOf, pemOf } from './kubeconfig-data.ts';
import type { KubeconfigSection } from './kubeconfig-section.ts';

const EXEC_VERSIONS: readonly string[] = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const EXEC_CONFIG_EXTENSION = 'client.authentication.k8s.io/exec';

/** Credentials of one `user` entry. */
export function userOf(user: KubeconfigSection, cluster: KubeconfigSection): UserAccess {
  if (user.has('auth-provider')) {
    throw user.invalid('auth-provider', 'is no longer supported', 'use an exec plugin of your provider instead');
  }
  const certificate = certificateOf(user);
  const basic = basicOf(user);
  const token = user.string('token');
  const tokenFile = pathOf(user, 'tokenFile');
  const exec = user.section('exec');
  if (basic !== undefined && (token !== undefined || tokenFile !== undefined)) {
    throw user.invalid('username', 'is set beside a token', 'keep one way to log in');
  }
  return {
    ...(certificate === undefined ? {} : { certificate }),
    ...(basic === undefined ? {} : { basic }),
    ...(token === undefined ? {} : { token }),
    ...(tokenFile === undefined ? {} : { tokenFile }),
    ...(exec === undefined ? {} : { exec: execOf(exec, cluster) }),
  };
}

function certificateOf(user: KubeconfigSection): ClientCertificate | undefined {
  const cert = pemOf(user, 'client-certificate');
  const key = pemOf(user, 'client-key');
  if (cert === undefined && key === undefined) return undefined;
  if (cert === undefined) throw user.invalid('client-certificate', 'is missing beside client-key', 'set both');
  if (key === undefined) throw user.invalid('client-key', 'is missing beside client-certificate', 'set both');
  try {
    createSecureContext({ cert, key });
  } catch {
    throw user.invalid(
      'client-certificate',
      'and client-key cannot be used together',
      'give the key of that certificate, without a passphrase',
    );
  }
  return { cert, key };
}

function basicOf(user: KubeconfigSection): UserAccess['basic'] {
  const username = user.string('username');
  const password = user.string('password');
  if (username === undefined && password === undefined) return undefined;
  return { username: username ?? '', password: password ?? '' };
}

function execOf(exec: KubeconfigSection, cluster: KubeconfigSection): ExecPlugin {
  const apiVersion = exec.required('apiVersion');
  if (!EXEC_VERSIONS.includes(apiVersion)) {
    throw exec.invalid('apiVersion', 'is not supported', `use one of ${EXEC_VERSIONS.join(', ')}`);
  }
  const installHint = exec.string('installHint');
  return {
    apiVersion,
    command: commandOf(exec),
    args: exec.strings('args'),
    env: Object.fromEntries(exec.sections('env').map((item) => [item.required('name'), item.string('value') ?? ''])),
    ...(installHint === undefined ? {} : { installHint }),
    interactiveMode: interactiveModeOf(exec, apiVersion),
    ...(exec.flag('provideClusterInfo') ? { cluster: clusterInfo(cluster) } : {}),
  };
}

/** Looked up on PATH, unless it is a path: then relative to the kubeconfig. */
function commandOf(exec: KubeconfigSection): string {
  const command = exec.required('command');
  return /[/\\]/.test(command) ? resolve(dirname(exec.file), command) : command;
}

function interactiveModeOf(exec: KubeconfigSection, apiVersion: string): ExecInteractiveMode {
  const mode = exec.string('interactiveMode');
  switch (mode) {
    case 'Never':
    case 'IfAvailable':
    case 'Always':
      return mode;
    case undefined:
      if (apiVersion.endsWith('/v1beta1')) return 'IfAvailable';
      throw exec.invalid('interactiveMode', 'is missing', 'set it to Never, IfAvailable or Always');
    default:
      throw exec.invalid('interactiveMode', 'is not known', 'set it to Never, IfAvailable or Always');
  }
}

/** `spec.cluster` of the ExecCredential that the plugin is given. */
function clusterInfo(cluster: KubeconfigSection): Readonly<Record<string, unknown>> {
  const ca = pemOf(cluster, 'certificate-authority');
  const extension = asArray(cluster.raw('extensions')).find((item) => at(item, 'name') === EXEC_CONFIG_EXTENSION);
  const config = at(extension, 'extension');
  return {
    server: cluster.required('server'),
    ...optional('tls-server-name', cluster.string('tls-server-name')),
    ...(cluster.flag('insecure-skip-tls-verify') ? { 'insecure-skip-tls-verify': true } : {}),
    ...optional('certificate-authority-data', ca === undefined ? undefined : Buffer.from(ca).toString('base64')),
    ...optional('proxy-url', cluster.string('proxy-url')),
    ...(isRecord(config) ? { config } : {}),
  };
}

function optional(field: string, value: string | undefined): Readonly<Record<string, string>> {
  return value === undefined ? {} : { [field]: value };
}

/** Whom the server is asked to take the user for. */
export function impersonationOf(user: KubeconfigSection): Impersonation | undefined {
  const as = user.string('as');
  const uid = user.string('as-uid');
  const groups = user.strings('as-groups');
  const extra = extraOf(user);
  if (as !== undefined) return { user: as, groups, extra, ...(uid === undefined ? {} : { uid }) };
  if (uid === undefined && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
  throw user.invalid('as', 'is missing beside as-uid, as-groups or as-user-extra', 'name the user to impersonate');
}

function extraOf(user: KubeconfigSection): Readonly<Record<string, readonly string[]>> {
  const section = user.section('as-user-extra');
  if (section === undefined) return {};
  return Object.fromEntries(user.entries('as-user-extra').map(([key]) => [key, section.strings(key)]));
}
