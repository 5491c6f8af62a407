import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { applyObject } from './api-client.ts';
import type { FluxProcess } from './contract.ts';
import { applyDefinitions } from './custom-resources.ts';
import { httpAnswers } from './http-answers.ts';
import { freePorts } from './ports.ts';
import type { Rig } from './rig.ts';
import { startProcess, waitFor } from './rig.ts';

export const FLUX_NAMESPACE = 'flux-system';

/** The definitions of Flux and its source-controller. Needs the API server. */
export async function startFlux(rig: Rig): Promise<void> {
  await Promise.all([
    applyDefinitions(rig, rig.binaries['flux-crds']),
    applyObject(rig.setup.access, `/api/v1/namespaces/${FLUX_NAMESPACE}`, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: FLUX_NAMESPACE },
    }),
  ]);
  await startSourceController(rig);
}

async function startSourceController(rig: Rig): Promise<void> {
  const [storage = 0, health = 0] = await freePorts(2);
  const artifacts = join(rig.supervisor.dir, 'flux');
  mkdirSync(artifacts);
  // The file server starts last, and has nothing at its root.
  const answers = async (): Promise<boolean> =>
    (await httpAnswers(health, '/readyz')) && (await httpAnswers(storage, '/', [200, 404]));
  startProcess(rig, {
    name: 'source-controller' satisfies FluxProcess,
    command: [
      rig.binaries['source-controller'],
      `--storage-path=${artifacts}`,
      `--storage-addr=127.0.0.1:${String(storage)}`,
      `--storage-adv-addr=127.0.0.1:${String(storage)}`,
      `--health-addr=127.0.0.1:${String(health)}`,
      '--metrics-addr=0',
      '--enable-leader-election=false',
    ],
    env: {
      RUNTIME_NAMESPACE: FLUX_NAMESPACE,
      KUBECONFIG: rig.setup.layout.kubeconfigFor('source-controller'),
      SSL_CERT_FILE: rig.setup.layout.files.ca,
    },
    answers,
  });
  await waitFor(rig, 'The source-controller of Flux', answers);
}
