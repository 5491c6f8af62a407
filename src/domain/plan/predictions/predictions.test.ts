import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alarms, componentFacts, findingsOf, kubeObject, planFacts } from '../../../../test/build/plan-facts.ts';
import { refOf } from '../../../api/kube.ts';
import type { ReadyWhen } from '../../../api/readiness.ts';
import { SEVERITIES } from '../finding.ts';
import { diffObjects } from '../diff/object-change.ts';
import type { ComponentFacts, ObjectFacts } from './facts.ts';
import { predict, PREDICTIONS } from './predictions.ts';

interface Delivered {
  readonly component: string;
  readonly objects: readonly Required<Pick<ObjectFacts, 'before' | 'after' | 'live'>>[];
}

/** Charts that were installed on a real control plane: what was rendered, what became of it, and what comes next. */
function delivered(name: string): readonly Delivered[] {
  const path = new URL(`../../../../test/fixtures/plan/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8')) as readonly Delivered[];
}

const MAIN: ReadyWhen = {
  apiVersion: 'shapes.example.org/v1',
  kind: 'Engine',
  name: 'main',
  condition: 'Ready',
  status: 'True',
};

const WIDGETS = kubeObject(
  readFileSync(new URL('../../../../dev/demo/tree/widgets/crds/widgets.yaml', import.meta.url), 'utf8'),
);

function factsOf(name: string, isFirst: boolean): readonly ComponentFacts[] {
  return delivered(name).map(({ component, objects }) =>
    componentFacts(
      objects.map(({ before, after, live }) => (isFirst ? { after } : { before, after, live })),
      {
        component: {
          name: component,
          releaseName: component,
          namespace: objects[0]?.after.metadata.namespace ?? name,
          readyWhen: component === 'main' ? [MAIN] : [],
        },
        crds: component === 'widgets' ? [{ wanted: WIDGETS, live: isFirst ? undefined : WIDGETS }] : [],
        recorded: isFirst ? [] : objects.map(({ after }) => refOf(after)),
        record: { chartBytes: 4000, textBytes: 10_000, largest: [] },
      },
    ),
  );
}

const CLEAN = ['helm-create', 'demo', 'shapes'];

describe('a plan raises no false alarm', () => {
  it.each(CLEAN)('for the upgrade of %s, without an answer of the API server', (name) => {
    expect(alarms(findingsOf(factsOf(name, false)))).toEqual([]);
  });

  it.each(CLEAN)('for the installation of %s', (name) => {
    expect(alarms(findingsOf(factsOf(name, true)))).toEqual([]);
  });

  it.each(CLEAN)('for the upgrade of %s, by a backend that does not overwrite', (name) => {
    expect(alarms(findingsOf(factsOf(name, false), { forcesConflicts: false }))).toEqual([]);
  });
});

describe('the list of predictions', () => {
  it('has every id once, and says of each what it foresees', () => {
    const ids = PREDICTIONS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(PREDICTIONS.filter(({ id, what }) => !/^[A-Z][A-Za-z]+$/.test(id) || what === '')).toEqual([]);
  });

  it('has the worst first', () => {
    const ranks = PREDICTIONS.map(({ severity }) => SEVERITIES.indexOf(severity));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
  });

  it('gives the worst finding first', () => {
    const facts = componentFacts([], {
      component: { hook: true, chart: { kind: 'chart', repository: 'oci://r', name: 'store', version: '1.0.0' } },
      valuesKeys: [],
    });
    const found = predict(planFacts([facts], { package: { rollbackSafe: true } }));
    expect(found.map(({ code, severity }) => [code, severity])).toEqual([
      ['HookValuesRefused', 'error'],
      ['SafeWithHooks', 'warning'],
      ['ChartUnpinned', 'info'],
    ]);
  });
});

describe('the differences of what a real API server has', () => {
  it.each(CLEAN)('are none between the live objects of %s and themselves', (name) => {
    for (const { live } of delivered(name).flatMap(({ objects }) => objects)) {
      if (live !== undefined) expect(diffObjects(live, structuredClone(live)).text).toBe('');
    }
  });

  it('of the Deployment of a chart are its image and its label', () => {
    const objects = delivered('demo').flatMap((each) => each.objects);
    const { before, after } = objects.find(({ after: { kind } }) => kind === 'StatefulSet') ?? {};
    if (before === undefined || after === undefined) throw new Error('the fixture has no StatefulSet');
    expect(diffObjects(before, after).fields).toEqual([
      {
        field: 'spec.template.spec.containers[name="store"].env[name="VERSION"].value',
        before: '1.0.0',
        after: '1.1.0',
      },
    ]);
  });
});
