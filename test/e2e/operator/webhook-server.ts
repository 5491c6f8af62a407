import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority } from '../../../src/lib/tls/certificate.ts';

/** A validating webhook on the loopback that admits everything. */
export interface WebhookServer {
  readonly url: string;
  /** What a webhook configuration needs to trust it. */
  readonly caBundle: string;
  /** Names of the objects that it was asked about. */
  readonly asked: readonly string[];
  stop(): void;
}

interface AdmissionRequest {
  readonly uid: string;
  readonly name: string;
}

export async function startWebhook(): Promise<WebhookServer> {
  const authority = createAuthority('webhook', Date.now());
  const { key, certificate } = authority.issue('webhook');
  const asked: string[] = [];
  const server = createServer({ key, cert: certificate }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const review = JSON.parse(Buffer.concat(chunks).toString()) as { readonly request: AdmissionRequest };
      asked.push(review.request.name);
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(admitted(review.request)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${String(port)}/`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    asked,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function admitted({ uid }: AdmissionRequest): unknown {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
}
