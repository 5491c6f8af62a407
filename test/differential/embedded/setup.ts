import { at, asArray } from '../../../src/lib/json.ts';
import { DEFINITIONS } from './custom-kinds.ts';
import { JSON_TYPE, type Side } from './request.ts';

const DEFINITIONS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Defines the custom kinds of the sequences, and waits until they are served. */
export async function defineKinds(side: Side, pause: () => Promise<void>): Promise<void> {
  for (const definition of DEFINITIONS) {
    const request = {
      method: 'POST',
      path: DEFINITIONS_PATH,
      type: JSON_TYPE,
      body: JSON.stringify(definition),
    } as const;
    const answer = await side.send(request);
    if (answer.status !== 201) throw new Error(`no definition: ${JSON.stringify(answer.body)}`);
  }
  for (const definition of DEFINITIONS) {
    for (const version of asArray(at(definition, 'spec', 'versions'))) {
      const plural = String(at(definition, 'spec', 'names', 'plural'));
      await untilServed(side, `/apis/differential.example.org/${String(at(version, 'name'))}/${plural}`, pause);
    }
  }
}

async function untilServed(side: Side, path: string, pause: () => Promise<void>): Promise<void> {
  for (;;) {
    const answer = await side.send({ method: 'GET', path, type: '', body: undefined });
    if (answer.status === 200) return;
    await pause();
  }
}
