import { join } from 'node:path';
import { markChart, writeTree } from '../charts.ts';
import { runHelm } from '../run-helm.ts';
import type { Ground, Release, TestedBackend } from './backend.ts';
import { completedRecords, recordsIn } from './records.ts';

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
