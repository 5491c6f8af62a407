import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../../api/errors.ts';
import { CALM_SCENARIO, parseScenario } from './index.ts';

const HEAD = 'apiVersion: rehearse.kubepkg.dev/v1\nkind: Scenario\nmetadata: {name: bad}\n';

function failureOf(text: string): KubepkgError {
  try {
    parseScenario(text, 'bad.yaml');
  } catch (error) {
    if (error instanceof KubepkgError) return error;
    throw error;
  }
  throw new Error('it was read without complaint');
}

describe('a scenario file', () => {
  it('with nothing in it lets everything go well', () => {
    expect(parseScenario(HEAD, 'bad.yaml')).toEqual({ ...CALM_SCENARIO, name: 'bad' });
  });

  it('is read with all its parts', () => {
    const text = `${HEAD}
defaults: {readyAfter: 2s, jobRunsFor: 3s}
nodes: [{name: a, cpu: "8", labels: {zone: z1}}, {name: b, notReady: {after: 1m}}]
workloads:
  - match: {kind: Deployment, namespace: shop, name: "app*", version: ">=1.1.0", release: shop-app, image: "*:2"}
    behaviour: crash
    exitCode: 3
    log: ["no database", ""]
    after: 30s
jobs:
  - match: {name: migrate}
    failures: 2
    runsFor: 500ms
claims: [{match: {name: data}, boundAfter: never}]
loadBalancers: {readyAfter: 30s}
customResources:
  - match: {apiVersion: example.org/v1, kind: Site}
    operator: {kind: StatefulSet, namespace: sites, name: operator}
    observedGeneration: condition
    steps:
      - status: {phase: New}
      - {after: 8s, flap: {every: 2s, times: 4, statuses: [{phase: A}, {phase: B}]}}
    finalizer: {name: example.org/guard, releasedAfter: never}
crds: [{name: sites.example.org, kind: Site, after: 5s, versions: [v1, v1beta1], scope: Cluster}]
objects: [{object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}]
webhooks: [{match: {kind: Site}, refuse: no, until: 20s, operations: [DELETE]}]
`.replace('refuse: no', 'refuse: "no"');
    const scenario = parseScenario(text, 'good.yaml');
    expect(scenario).toMatchObject({
      defaults: { readyAfter: 2000, jobRunsFor: 3000, initFor: 200 },
      nodes: [
        { name: 'a', cpu: '8', labels: { zone: 'z1' } },
        { name: 'b', notReady: { after: 60_000, until: undefined } },
      ],
      workloads: [{ match: { kind: 'Deployment', name: 'app*' }, behaviour: 'crash', exitCode: 3, after: 30_000 }],
      jobs: [{ match: { name: 'migrate' }, failures: 2, runsFor: 500 }],
      claims: [{ boundAfter: undefined }],
      loadBalancersAfter: 30_000,
      customResources: [
        {
          operator: { kind: 'StatefulSet', namespace: 'sites', name: 'operator' },
          observedGeneration: 'condition',
          steps: [
            { after: 0, status: { phase: 'New' } },
            { after: 8000, flap: { every: 2000, times: 4 } },
          ],
          finalizer: { name: 'example.org/guard', releasedAfter: undefined },
        },
      ],
      webhooks: [{ failure: 'denied', message: 'no', until: 20_000, operations: ['DELETE'] }],
    });
    expect(scenario.lateObjects.map(({ object, after }) => [object.kind, after])).toEqual([
      ['CustomResourceDefinition', 5000],
      ['ConfigMap', 0],
    ]);
  });

  it.each([
    [
      'behavior',
      'workloads: [{match: {}, behavior: crash}]',
      'unknown field workloads[0].behavior',
      'did you mean behaviour?',
    ],
    ['an unknown part', 'workload: []', 'unknown field workload', 'did you mean workloads?'],
    [
      'a misspelled behaviour',
      'workloads: [{match: {}, behaviour: crsh}]',
      'workloads[0].behaviour must be one of ready, never-ready',
      'did you mean crash?',
    ],
    [
      'a number for a time',
      'defaults: {readyAfter: 5}',
      'defaults.readyAfter must be a duration',
      'write it as 500ms, 30s, 10m or 1h30m',
    ],
    [
      'a time before now',
      'defaults: {readyAfter: -5s}',
      'defaults.readyAfter must be a duration',
      'write it as 500ms, 30s, 10m or 1h30m',
    ],
    ['no match', 'workloads: [{behaviour: crash}]', 'workloads[0].match is required', 'add it'],
    [
      'a version that is none',
      'workloads: [{match: {version: "abc!"}}]',
      'workloads[0].match.version',
      'write it as ">=1.2.0" or "1.x"',
    ],
    [
      'a name that is no text',
      'workloads: [{match: {name: 5}}]',
      'workloads[0].match.name must be a string, not a number',
      'put it in quotes',
    ],
    [
      'an exit code that cannot be',
      'jobs: [{match: {}, exitCode: 300}]',
      'jobs[0].exitCode must be from 0 to 255',
      'write a number in between',
    ],
    ['a map for a list', 'jobs: {}', 'jobs must be a list, not an object', 'write it as [value, value]'],
    [
      'until before after',
      'workloads: [{match: {}, behaviour: crash, after: 30s, until: 10s}]',
      'workloads[0].until must be later than after, which is 30s',
      'both count from the same moment: make until the later one',
    ],
    [
      'never ready after a time',
      'workloads: [{match: {}, behaviour: never-ready, readyAfter: 5s}]',
      'workloads[0].readyAfter cannot be with behaviour never-ready',
      'leave one of them out, or say with until when it recovers',
    ],
    [
      'failures of what does not fail',
      'workloads: [{match: {}, behaviour: never-ready, failures: 2}]',
      'workloads[0].failures counts nothing with behaviour never-ready',
      'use behaviour fail or crash',
    ],
    [
      'failing with exit code 0',
      'jobs: [{match: {}, behaviour: fail, exitCode: 0}]',
      'jobs[0].exitCode cannot be 0 with behaviour fail',
      'use another exit code, or behaviour complete',
    ],
    [
      'a Job that is never ready',
      'jobs: [{match: {}, behaviour: never-ready}]',
      'jobs[0].behaviour must be one of complete, fail',
      'did you mean never-ends?',
    ],
    [
      'a script for a Deployment',
      'customResources: [{match: {apiVersion: apps/v1, kind: Deployment}, steps: []}]',
      'customResources[0].match has a controller that writes the status of Deployment',
      'say under workloads or jobs how its pods behave',
    ],
    [
      'a script for no kind',
      'customResources: [{match: {apiVersion: example.org/v1}}]',
      'customResources[0].match.kind is required',
      'add it',
    ],
    [
      'steps out of order',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, steps: [{after: 8s, status: {}}, {after: 4s, status: {}}]}]',
      'customResources[0].steps[1].after is earlier than the step before it',
      'all times count from the change of the object: put the step before the one of 8s',
    ],
    [
      'a step that does nothing',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, steps: [{after: 8s}]}]',
      'customResources[0].steps[0] does nothing',
      'give it either status or flap',
    ],
    [
      'a step that does two things',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, steps: [{status: {}, flap: {every: 1s, statuses: [{}, {}]}}]}]',
      'customResources[0].steps[0] cannot have both status and flap',
      'give it either status or flap',
    ],
    [
      'flapping between one status',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, steps: [{flap: {every: 1s, statuses: [{}]}}]}]',
      'customResources[0].steps[0].flap.statuses must have at least two entries',
      'or use status',
    ],
    [
      'flapping without a pause',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, steps: [{flap: {every: 0s, statuses: [{}, {}]}}]}]',
      'customResources[0].steps[0].flap.every must be more than 0s',
      'write it as 10s',
    ],
    [
      'a new round without an operator',
      'customResources: [{match: {apiVersion: a.b/v1, kind: A}, againOnUpgrade: true}]',
      'customResources[0].againOnUpgrade needs an operator',
      'name the operator whose upgrade is meant',
    ],
    [
      'a definition without a group',
      'crds: [{name: sites, kind: Site}]',
      'crds[0].name must be PLURAL.GROUP',
      'write it as sites.example.org',
    ],
    [
      'an object without a name',
      'objects: [{object: {apiVersion: v1, kind: ConfigMap}}]',
      'objects[0].object.metadata.name is required',
      'add it',
    ],
    [
      'a webhook that refuses nothing',
      'webhooks: [{match: {kind: Site}}]',
      'webhooks[0] does not refuse anything',
      'give it refuse with a message, or fails',
    ],
    [
      'two nodes of one name',
      'nodes: [{name: a}, {name: a}]',
      'nodes[1].name is the name of another node: a',
      'give each node a name of its own',
    ],
  ])('is refused with %s', (_case, text, message, hint) => {
    const failure = failureOf(HEAD + text);
    expect(failure.code).toBe('InvalidInput');
    expect(failure.message).toContain(`scenario bad.yaml: ${message}`);
    expect(failure.hint).toBe(hint);
  });

  it('is refused with a remedy of its own for each of several problems', () => {
    const failure = failureOf(`${HEAD}workloads: [{match: {}, behavior: crash, readyAfter: 5}]\njobs: {}`);
    expect(failure.message).toMatch(/behavior \(did you mean behaviour\?\); .*readyAfter .* \(write it as 500ms/);
    expect(failure.message).toMatch(/jobs must be a list, not an object \(.+\)$/);
    expect(failure.hint).toBe('correct the scenario file');
  });

  it.each([
    [
      'another kind',
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}',
      /apiVersion must be one of rehearse\.kubepkg\.dev\/v1 \(.+\); kind must be one of Scenario/,
    ],
    ['nothing', '', /apiVersion is required \(add it\); kind is required \(add it\); metadata is required/],
    ['no map', '- a', /must be an object, not a list/],
    ['no YAML', 'a: [', /^bad\.yaml:1:\d+: /],
    ['many problems', `${HEAD}a: 1\nb: 1\nc: 1\nd: 1\ne: 1\nf: 1`, /and 1 more$/],
  ])('is refused when it holds %s', (_case, text, message) => {
    expect(failureOf(text).message).toMatch(message);
  });
});
