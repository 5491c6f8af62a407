import { lastApplied } from '../domain/decide/views.ts';
import { hideTexts } from '../domain/plan/diff/mask.ts';
import { leavesOf, unsaidLeaves } from '../domain/plan/diff/secret-values.ts';
import type { PredictedFinding } from '../domain/plan/predictions/facts.ts';
import { readValues } from '../engine/values.ts';
import { at } from '../lib/json.ts';
import { ifPossible } from './plan-attempt.ts';
import type { FoundComponent } from './plan-facts.ts';
import type { Foreseen, Looking } from './planning.ts';

/** The platform's values, which are a Secret, wherever a chart has put them: as they are, and as they were delivered. */
export async function platformSecrets(looking: Looking, foreseen: Foreseen): Promise<readonly string[]> {
  const view = looking.eyes.sight.platform.view();
  const present = view.kind === 'known' ? leavesOf(view.values ?? {}) : [];
  return [...new Set([...present, ...(await deliveredSecrets(looking, foreseen))])];
}

async function deliveredSecrets(
  { deps: { cluster }, unread }: Looking,
  { would, world }: Foreseen,
): Promise<readonly string[]> {
  const components = lastApplied(world)?.spec.components ?? [];
  const found = await Promise.all(
    components.map(async (component) => {
      const { namespace, name } = component.valuesRef ?? {};
      const secret = { apiVersion: 'v1', kind: 'Secret', ...(namespace === undefined ? {} : { namespace }) };
      const note = name === undefined ? undefined : unread.note({ ...secret, name });
      const delivered = await ifPossible(() => readValues(cluster, component), {}, note);
      const said = [would.before, would.after].map((each) =>
        at(each?.['spec'], 'components', component.name, 'values'),
      );
      return unsaidLeaves(delivered, said);
    }),
  );
  return found.flat();
}

/** What objects and components are called stays readable, as it does in the objects themselves. */
export function hideInFindings(
  findings: readonly PredictedFinding[],
  secretValues: readonly string[],
  found: readonly FoundComponent[],
): readonly PredictedFinding[] {
  const names = new Set(found.flatMap(namesIn));
  const hidden = secretValues.filter((value) => !names.has(value));
  return findings.map((finding) => ({
    ...finding,
    message: hideTexts(finding.message, hidden),
    remedy: hideTexts(finding.remedy, hidden),
  }));
}

function namesIn({ component, objects, former }: FoundComponent): readonly (string | undefined)[] {
  const written = [...objects.map(({ after }) => after), ...former];
  const ofObjects = written.flatMap(({ kind, metadata }) => [kind, metadata.name, metadata.namespace]);
  return [component.name, component.releaseName, component.namespace, ...ofObjects];
}
