import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import { asString, at } from '../../lib/json.ts';
import type { ClusterAccess } from './access.ts';

const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The pod's own service account; undefined outside of a pod. */
export function inClusterAccess(
  env: Readonly<Record<string, string | undefined>>,
  directory: string = SERVICE_ACCOUNT_DIR,
): ClusterAccess | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'];
  const port = env['KUBERNETES_SERVICE_PORT'];
  if (host === undefined || host === '' || port === undefined || port === '') return undefined;
  const tokenFile = join(directory, 'token');
  readRequired(tokenFile);
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    namespace: readRequired(join(directory, 'namespace')).trim(),
    origin: `the service account of this pod (${directory})`,
    tls: { insecure: false, ca: readRequired(join(directory, 'ca.crt')) },
    user: { tokenFile },
  };
}

function readRequired(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const code = asString(at(error, 'code')) ?? 'error';
    throw new KubepkgError('KubeconfigInvalid', `${path} cannot be read (${code})`, {
      hint: 'mount the service account token into the pod (automountServiceAccountToken), or give a kubeconfig',
      cause: error,
    });
  }
}
