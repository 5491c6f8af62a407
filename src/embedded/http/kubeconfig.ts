import { writeYaml } from '../../lib/yaml.ts';
import type { ApiServer } from './server.ts';

/** A kubeconfig with the one cluster and the one user. */
export function kubeconfigFor({ url, ca, token }: Pick<ApiServer, 'url' | 'ca' | 'token'>, name = 'kubepkg'): string {
  return writeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  });
}
