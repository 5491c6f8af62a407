import type { ClientRequest } from 'node:http';
import { KubepkgError } from '../../api/errors.ts';
import { asString, at } from '../../lib/json.ts';

const CERTIFICATE_HINT =
  'give the authority that signed the server certificate as certificate-authority in the kubeconfig';
const RUNNING_HINT = 'see that the API server runs and that the kubeconfig names the right address and port';
const NAME_HINT = 'the host name of the server cannot be resolved: correct it in the kubeconfig, or see to DNS';
const NETWORK_HINT = 'see to the network, VPN or firewall between here and the API server';

const HINTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: RUNNING_HINT,
  ECONNRESET: 'the connection broke; it is safe to look again',
  EPIPE: 'the connection broke; it is safe to look again',
  ETIMEDOUT: NETWORK_HINT,
  EHOSTUNREACH: NETWORK_HINT,
  ENETUNREACH: NETWORK_HINT,
  ENOTFOUND: NAME_HINT,
  EAI_AGAIN: NAME_HINT,
  CERT_HAS_EXPIRED: 'the server certificate has expired: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'the server certificate is for another name: use an address it names, or set tls-server-name in the kubeconfig',
  DEPTH_ZERO_SELF_SIGNED_CERT: CERTIFICATE_HINT,
  SELF_SIGNED_CERT_IN_CHAIN: CERTIFICATE_HINT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: CERTIFICATE_HINT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: CERTIFICATE_HINT,
  UNABLE_TO_GET_ISSUER_CERT: CERTIFICATE_HINT,
  CERT_SIGNATURE_FAILURE: CERTIFICATE_HINT,
  EPROTO: 'the other side does not speak TLS as expected: see whether the server address needs http or https',
  HPE_INVALID_CONSTANT: 'the other side does not speak HTTP: see whether the server address needs https',
};

/** An error of the connection itself; what never got an answer may have been carried out all the same. */
export function networkError(where: string, error: unknown): KubepkgError {
  if (error instanceof KubepkgError) return error;
  const code = asString(at(error, 'code')) ?? '';
  const message = error instanceof Error && error.message !== '' ? error.message : code || 'the connection failed';
  const hint = HINTS[code];
  return new KubepkgError('ApiUnreachable', `no answer from the API server ${where}: ${message}`, {
    cause: error,
    ...(hint === undefined ? {} : { hint }),
  });
}

export function timeoutError(where: string, ms: number): KubepkgError {
  return new KubepkgError('ApiTimeout', `the API server ${where} did not answer within ${String(ms / 1000)} s`, {
    hint: NETWORK_HINT,
  });
}

/** The request went out on a pooled connection that the other side had closed before. */
export function isStaleSocket(call: ClientRequest, error: unknown): boolean {
  const code = asString(at(error, 'code'));
  return call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE');
}
