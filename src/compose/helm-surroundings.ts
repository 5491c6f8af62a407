import { homedir } from 'node:os';
import { usesCredentialPlugin } from '../adapters/kube/create-cluster.ts';
import type { HelmOptions } from '../helm/helm-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs are, the home that a kubeconfig may lie in, the way out, and the way to the API server from a pod. */
const PASSED: readonly string[] = [
  'PATH',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
];

/**
 * What would change helm itself, or any program, whatever else a plugin is given: helm's settings and those of its
 * client, of kubepkg and its runtime, of Go's runtime, of the loader and of shells.
 */
const KEPT_BACK =
  /^(HELM_|KUBE|NODE_|LD_|DYLD_|GO(DEBUG|GC|MEMLIMIT|MAXPROCS|TRACEBACK|COVERDIR|RACE)$|BASH_|ENV$|SHELLOPTS$)/;

export interface SurroundingsChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Environment;
}

/**
 * What makes helm find the cluster that our own client finds, as the same user. Where a plugin of the kubeconfig gets
 * the credentials, helm runs it too, and only this process knows what it goes by: AWS_PROFILE, AZURE_CLIENT_ID,
 * CLOUDSDK_CONFIG and so on, which is then passed on as to our own. Nothing else of the environment reaches helm.
 */
export function helmSurroundings(choice: SurroundingsChoice): Omit<HelmOptions, 'binary'> {
  const { kubeconfig, context, env } = choice;
  const listed = env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG'];
  return {
    kubeconfig: kubeconfig ?? listed,
    kubeContext: context,
    environment: { ...(usesCredentialPlugin(choice) ? pluginEnvironment(env) : {}), ...plainEnvironment(env) },
  };
}

/** For a helm that reaches no cluster. */
export function plainEnvironment(env: Environment): Readonly<Record<string, string>> {
  return { ...select(env, (name) => PASSED.includes(name)), HOME: env['HOME'] ?? homedir() };
}

function pluginEnvironment(env: Environment): Readonly<Record<string, string>> {
  return select(env, (name) => !KEPT_BACK.test(name));
}

function select(env: Environment, wants: (name: string) => boolean): Readonly<Record<string, string>> {
  const selected = Object.entries(env).flatMap(([name, value]) =>
    value === undefined || !wants(name) ? [] : [[name, value] as const],
  );
  return Object.fromEntries(selected);
}
