import { X509Certificate } from 'node:crypto';
import type { ClusterAccess, TlsSettings } from './access.ts';
import { pemOf } from './kubeconfig-data.ts';
import type { KubeconfigSection } from './kubeconfig-section.ts';

const PROXY_PROTOCOLS: readonly string[] = ['http:', 'https:'];

/** Server, TLS and proxy of one `cluster` entry. */
export function clusterOf(cluster: KubeconfigSection): Pick<ClusterAccess, 'server' | 'tls' | 'proxyUrl'> {
  const tls = tlsOf(cluster);
  const proxyUrl = proxyOf(cluster);
  return { server: serverOf(cluster, tls), tls, ...(proxyUrl === undefined ? {} : { proxyUrl }) };
}

function tlsOf(cluster: KubeconfigSection): TlsSettings {
  const insecure = cluster.flag('insecure-skip-tls-verify');
  const ca = pemOf(cluster, 'certificate-authority');
  if (insecure && ca !== undefined) {
    throw cluster.invalid('insecure-skip-tls-verify', 'is set beside a certificate-authority', 'remove one of the two');
  }
  if (ca !== undefined) checkAuthority(cluster, ca);
  const serverName = cluster.string('tls-server-name');
  return { insecure, ...(ca === undefined ? {} : { ca }), ...(serverName === undefined ? {} : { serverName }) };
}

function checkAuthority(cluster: KubeconfigSection, ca: string): void {
  try {
    // TLS itself would ignore what is no certificate, and then trust nobody.
    new X509Certificate(ca);
  } catch {
    throw cluster.invalid('certificate-authority', 'holds no usable certificate', 'give the PEM file of the authority');
  }
}

/** Without a scheme: https where TLS is spoken of, otherwise http, as in client-go. */
function serverOf(cluster: KubeconfigSection, tls: TlsSettings): string {
  const written = cluster.required('server');
  const speaksTls = tls.insecure || tls.ca !== undefined;
  const text = written.includes('://') ? written : `${speaksTls ? 'https' : 'http'}://${written}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname !== '') {
    return text.replace(/\/+$/, '');
  }
  throw cluster.invalid('server', 'is not an http or https URL', 'write it as https://HOST:PORT');
}

function proxyOf(cluster: KubeconfigSection): string | undefined {
  const written = cluster.string('proxy-url');
  if (written === undefined) return undefined;
  if (URL.canParse(written) && PROXY_PROTOCOLS.includes(new URL(written).protocol)) return written;
  throw cluster.invalid(
    'proxy-url',
    'is not an http or https URL',
    'write it as http://HOST:PORT (SOCKS is not supported)',
  );
}
