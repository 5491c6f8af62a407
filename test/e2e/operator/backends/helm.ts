import { join } from 'node:path';
import { LABEL } from '../../../../src/api/names.ts';
import { markChart, writeTree } from '../charts.ts';
import { runHelm } from '../run-helm.ts';
import type { Ground, Release, TestedBackend } from './backend.ts';
import { completedRecords, PENDING, recordsIn } from './records.ts';

const RECORDS = { apiVersion: 'v1', kind: 'Secret', fieldSelector: 'type=helm.sh/release.v1', metadataOnly: true };

export async function startHelm(ground: Ground): Promise<TestedBackend> {
  const mark = join(await writeTree(ground.dir, { mark: markChart() }), 'mark');
  const upgrade = (verb: 'install' | 'upgrade', { namespace, name }: Release, text: string): Promise<void> =>
    runHelm(ground, [verb, name, mark, '--namespace', namespace, '--set', `mark=${text}`]);
  return {
    name: 'helm',
    flags: [],
    controllers: [],
    deliveriesOf: (release) => completedRecords(ground.cluster, release),
    tracesIn: (namespace) => recordsIn(ground.cluster, namespace),
    deliverySelection: (namespace) => ({ ...RECORDS, namespace }),
    deliveriesIn: ({ metadata: { namespace = '', uid = '', labels = {} } }) =>
      labels['status'] === 'deployed'
        ? [{ namespace, name: labels['name'] ?? '', token: labels[LABEL.attempt] ?? '', id: uid }]
        : [],
    pendingIn: (namespace) => recordsIn(ground.cluster, namespace, PENDING),
    isInstruction: ({ verb, objectRef }, { namespace, name }) =>
      verb === 'create' &&
      objectRef?.namespace === namespace &&
      objectRef.name?.startsWith(`sh.helm.release.v1.${name}.v`) === true,
    createForeign: (release) => upgrade('install', release, 'theirs'),
    changeByHand: (release) => upgrade('upgrade', release, 'changed'),
    removeByHand: ({ namespace, name }) => runHelm(ground, ['uninstall', name, '--namespace', namespace]),
    close: () => Promise.resolve(),
  };
}
