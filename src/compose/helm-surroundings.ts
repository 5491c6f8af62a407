import { homedir } from 'node:os';
import type { HelmOptions } from '../helm/helm-program.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Where programs are, the home that a kubeconfig may lie in, the way out, and the way to the API server from a pod. */
const PASSED = [
  'PATH',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
] as const;

export interface SurroundingsChoice {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Environment;
}

/** What makes helm find the cluster that our own client finds. Nothing else of this process's environment reaches it. */
export function helmSurroundings({ kubeconfig, context, env }: SurroundingsChoice): Omit<HelmOptions, 'binary'> {
  const listed = env['KUBECONFIG'] === '' ? undefined : env['KUBECONFIG'];
  const passed = PASSED.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return {
    kubeconfig: kubeconfig ?? listed,
    kubeContext: context,
    environment: { ...Object.fromEntries(passed), HOME: env['HOME'] ?? homedir() },
  };
}
