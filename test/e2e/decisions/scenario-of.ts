import type { JsonObject } from '../../../src/lib/json.ts';
import { parseYaml, writeYaml } from '../../../src/lib/yaml.ts';
import type { Step } from '../operator/fake-operator.ts';
import type { Published } from './published.ts';
import type { Controller } from './shape.ts';

/** What a rehearsal has to be told so that it plays the same as the real control plane. */
export function scenarioOf({ id, shape }: Published, edition: 0 | 1): string {
  const controller = shape.controller?.(id);
  return writeYaml({
    apiVersion: 'rehearse.kubepkg.dev/v1',
    kind: 'Scenario',
    metadata: { name: shape.name },
    ...(controller === undefined ? {} : scripted(controller, id, edition)),
    ...(parseYaml(shape.likeness ?? '{}', 'likeness') as JsonObject),
  });
}

function scripted(controller: Controller, id: string, edition: 0 | 1): JsonObject {
  const { group, kind, deployment, definesLate, scripts } = controller;
  const operator = { kind: 'Deployment', namespace: id, name: deployment };
  const customResource = {
    match: { apiVersion: `${group}/v1`, kind },
    operator,
    observedGeneration: 'condition',
    steps: stepsOf(scripts[edition]),
  };
  const name = `${kind.toLowerCase()}s.${group}`;
  const crds = definesLate ? [{ name, kind, after: '5s', operator }] : [];
  return { customResources: [customResource], crds };
}

/** Times count from the change of the object, and what a step leaves out stays. */
function stepsOf(steps: readonly Step[]): JsonObject[] {
  let after = 0;
  return steps.map(({ afterMs, conditions = {} }) => {
    after += afterMs;
    const list = Object.entries(conditions).map(([type, status]) => ({
      type,
      status,
      reason: 'Scripted',
      message: '',
    }));
    return { after: `${String(after)}ms`, status: { conditions: list } };
  });
}
