import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../api/kube.ts';
import { parseYaml } from '../../../lib/yaml.ts';
import { secretValuesOf } from './clean.ts';
import { LIST_MAP_KEYS } from './list-keys.ts';
import { diffObjects, type FieldChange, schemaIn } from './object-change.ts';

function object(text: string): KubeObject {
  return parseYaml(text, 'test') as unknown as KubeObject;
}

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
  labels: {app.kubernetes.io/version: "1"}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - name: web
          image: example.org/web:1
          args: [--verbose, --port=80]
          env:
            - {name: A, value: a}
            - {name: B, value: b}
          ports: [{containerPort: 80, name: http, protocol: TCP}]
          resources: {limits: {cpu: "1", memory: 1Gi}}
        - {name: proxy, image: example.org/proxy:1}
      tolerations:
        - {key: one, operator: Exists}
        - {key: two, operator: Exists}
`;

const ENV_A = '            - {name: A, value: a}\n';
const ENV_B = '            - {name: B, value: b}\n';

function changed(...replacements: readonly (readonly [string, string])[]): KubeObject {
  const text = replacements.reduce((rest, [from, to]) => {
    expect(rest).toContain(from);
    return rest.replace(from, to);
  }, DEPLOYMENT);
  return object(text);
}

function between(before: KubeObject, after: KubeObject): readonly FieldChange[] {
  return diffObjects(before, after).fields;
}

describe('the change of an object', () => {
  it('F96 reads as unified YAML, lists by what names their items, each with its context', () => {
    const after = changed(
      ['replicas: 2', 'replicas: 3'],
      ['web:1', 'web:2'],
      ['            - {name: A, value: a}\n', ''],
      ['value: b}', 'value: b}\n            - {name: C, value: c}'],
      ['"1"}', '"2"}'],
    );
    expect(diffObjects(object(DEPLOYMENT), after, { context: 1 }).text).toMatchInlineSnapshot(`
      "@@ -5,6 +5,6 @@ metadata.labels['app.kubernetes.io/version']
         labels:
      -    app.kubernetes.io/version: '1'
      +    app.kubernetes.io/version: '2'
         namespace: shop
       spec:
      -  replicas: 2
      +  replicas: 3
         template:
      @@ -17,7 +17,7 @@ spec.template.spec.containers[name="web"].env[name="A"]
                 env:
      -            - name: A
      -              value: a
                   - name: B
                     value: b
      +            - name: C
      +              value: c
      -          image: example.org/web:1
      +          image: example.org/web:2
                 ports:
      "
    `);
  });

  it.each<readonly [string, KubeObject, readonly string[]]>([
    ['a scalar', changed(['replicas: 2', 'replicas: 3']), ['spec.replicas']],
    ['the image of one container', changed(['web:1', 'web:2']), ['spec.template.spec.containers[name="web"].image']],
    [
      'an argument: the list has no names',
      changed(['--port=80', '--port=81']),
      ['spec.template.spec.containers[name="web"].args'],
    ],
    [
      'a port, which is named by number and protocol',
      changed(['containerPort: 80', 'containerPort: 81']),
      [
        'spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"]',
        'spec.template.spec.containers[name="web"].ports[containerPort=81,protocol="TCP"]',
      ],
    ],
    [
      'a protocol that is the default: the port is the same',
      changed([', protocol: TCP', '']),
      ['spec.template.spec.containers[name="web"].ports[containerPort=80,protocol="TCP"].protocol'],
    ],
    ['a label with a slash', changed(['"1"}\n', '"2"}\n']), ["metadata.labels['app.kubernetes.io/version']"]],
    [
      'a toleration',
      changed(['key: two', 'key: three']),
      [
        'spec.template.spec.tolerations[key="two",operator="Exists"]',
        'spec.template.spec.tolerations[key="three",operator="Exists"]',
      ],
    ],
    [
      'the order of environment variables, as later ones refer to earlier ones',
      changed([ENV_A + ENV_B, ENV_B + ENV_A]),
      ['spec.template.spec.containers[name="web"].env'],
    ],
  ])('names the field of %s', (_name, after, fields) => {
    expect(between(object(DEPLOYMENT), after).map(({ field }) => field)).toEqual(fields);
  });

  it.each<readonly [string, KubeObject]>([
    ['a quantity in another spelling', changed(['cpu: "1"', 'cpu: 1000m'], ['1Gi', '1024Mi'])],
    ['a quantity as a number', changed(['cpu: "1"', 'cpu: 1'])],
    [
      'the order of tolerations',
      changed(['key: one', 'key: zero'], ['key: two', 'key: one'], ['key: zero', 'key: two']),
    ],
    ['null for what is not there', changed(['replicas: 2', 'replicas: 2\n  paused: null'])],
  ])('is none for %s', (_name, after) => {
    expect(diffObjects(object(DEPLOYMENT), after)).toMatchObject({ kind: 'unchanged', fields: [], text: '' });
  });

  it('leaves out what the API server keeps for itself', () => {
    const before = object(DEPLOYMENT);
    const live = {
      ...before,
      metadata: {
        ...before.metadata,
        uid: 'u',
        resourceVersion: '7',
        generation: 3,
        creationTimestamp: '2030-01-01T00:00:00Z',
        managedFields: [{ manager: 'helm' }],
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
      },
      status: { replicas: 2 },
    };
    expect(diffObjects(live, before).kind).toBe('unchanged');
  });

  it('shows an item of a list with what names it first', () => {
    const { text } = diffObjects(object(DEPLOYMENT), changed(['name: http', 'name: web']), { context: 2 });
    expect(text.split('\n').slice(1, 5)).toEqual([
      '             - containerPort: 80',
      '               protocol: TCP',
      '-              name: http',
      '+              name: web',
    ]);
  });

  it('shows a text of many lines line by line', () => {
    const config = (line: string): KubeObject =>
      object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {conf: "a\\n${line}\\nc\\nd\\ne\\n"}}`);
    expect(diffObjects(config('b'), config('x'), { context: 1 }).text).toBe(
      '@@ -7,3 +7,3 @@ data.conf\n     a\n-    b\n+    x\n     c\n',
    );
  });

  it('keeps texts that look like quantities apart where they are none', () => {
    const config = (cpu: string): KubeObject =>
      object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {cpu: "${cpu}"}}`);
    expect(diffObjects(config('1'), config('1000m')).kind).toBe('changed');
  });

  it('is the whole object when it is created or deleted', () => {
    const config = object('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {a: b}}');
    const text = '@@ -0,0 +1,6 @@\n+apiVersion: v1\n+kind: ConfigMap\n+metadata:\n+  name: c\n+data:\n+  a: b\n';
    expect(diffObjects(undefined, config)).toMatchObject({ kind: 'created', text });
    const gone = text.replaceAll('\n+', '\n-').replace('-0,0 +1,6', '-1,6 +0,0');
    expect(diffObjects(config, undefined)).toMatchObject({ kind: 'deleted', text: gone });
  });
});

describe('a list of a custom kind', () => {
  const items = (...names: readonly string[]): KubeObject => ({
    apiVersion: 'example.org/v1',
    kind: 'Part',
    metadata: { name: 'p' },
    spec: { steps: names.map((name) => ({ id: name })), volumes: names.map((name) => ({ name })) },
  });
  const crd = (type: string): KubeObject => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'parts.example.org' },
    spec: {
      versions: [
        {
          name: 'v1',
          schema: {
            openAPIV3Schema: {
              properties: {
                spec: {
                  properties: {
                    steps: { 'x-kubernetes-list-type': type, 'x-kubernetes-list-map-keys': ['id'], items: {} },
                  },
                },
              },
            },
          },
        },
      ],
    },
  });

  it('is matched by the keys that its schema declares', () => {
    const schema = schemaIn(crd('map'), 'example.org/v1');
    const fields = diffObjects(items('a', 'b'), items('b', 'c'), { schema }).fields.map(({ field }) => field);
    expect(fields).toContain('spec.steps[id="a"]');
    expect(fields).toContain('spec.steps[id="c"]');
  });

  it('is one field where the schema declares it atomic, whatever its name', () => {
    const atomic = { properties: { spec: { properties: { volumes: { 'x-kubernetes-list-type': 'atomic' } } } } };
    const fields = diffObjects(items('a', 'b'), items('b', 'c'), { schema: atomic }).fields.map(({ field }) => field);
    expect(fields).toContain('spec.volumes');
  });

  it.each([
    ['declares it atomic', schemaIn(crd('atomic'), 'example.org/v1')],
    ['is not known', undefined],
  ])('is one field where the schema %s', (_name, schema) => {
    const fields = diffObjects(items('a', 'b'), items('b', 'a'), { schema }).fields.map(({ field }) => field);
    expect(fields).toEqual(['spec.steps', 'spec.volumes']);
  });
});

describe('what is secret', () => {
  const secret = (password: string, extra = ''): KubeObject =>
    object(
      `{apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {password: "${password}", user: admin${extra}}}`,
    );

  it('I10 is shown to change, without a value or a digest of it', () => {
    const { text } = diffObjects(secret('hunter2-old'), secret('hunter2-new', ', token: abcdefgh'));
    expect(text).toBe(
      [
        '@@ -3,5 +3,6 @@ data.password',
        ' metadata:',
        '   name: s',
        ' data:',
        '-  password: (hidden, before)',
        '+  password: (hidden, after)',
        '+  token: (hidden)',
        '   user: (hidden)',
        '',
      ].join('\n'),
    );
  });

  it('is the same however it was written', () => {
    const live = object('{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {password: YQ==, user: YWRtaW4=}}');
    expect(diffObjects(live, secret('a')).kind).toBe('unchanged');
  });

  it('I10 is hidden however short it is', () => {
    expect(JSON.stringify(diffObjects(secret('xy1'), secret('xy2')))).not.toMatch(/xy|eHk/);
  });

  it('I10 is hidden where somebody forgot to encode it', () => {
    const plain = object('{apiVersion: v1, kind: Secret, metadata: {name: s}, data: {password: "p@ss w0rd!"}}');
    expect(diffObjects(undefined, plain).text).toContain('+  password: (hidden)\n');
  });

  it('I10 is hidden as base64 as well', () => {
    const config = object('{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {auth: aHVudGVyMi1vbGQ=}}');
    const secretValues = secretValuesOf([secret('hunter2-old')]);
    expect(diffObjects(undefined, config, { secretValues }).text).toContain('+  auth: (hidden)\n');
  });

  it('I10 is hidden wherever else it stands', () => {
    const config = (password: string): KubeObject =>
      object(`{apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {url: "db://app:${password}@db"}}`);
    const secretValues = secretValuesOf([secret('hunter2-old'), secret('hunter2-new')]);
    const change = diffObjects(config('hunter2-old'), config('hunter2-new'), { secretValues });
    expect(change.fields).toEqual([
      { field: 'data.url', before: 'db://app:(hidden, before)@db', after: 'db://app:(hidden, after)@db' },
    ]);
    expect(change.text).not.toContain('hunter2');
  });
});

describe('the names of list items', () => {
  interface Declared {
    readonly definition: string;
    readonly field: string;
    readonly keys: readonly string[];
  }
  const path = new URL('../../../../test/fixtures/plan/list-map-keys.json', import.meta.url);
  const declared = JSON.parse(readFileSync(path, 'utf8')) as readonly Declared[];
  it.each(declared)('are those of the OpenAPI document: $definition $field', ({ field, keys }) => {
    expect(LIST_MAP_KEYS[field]).toContainEqual(keys);
  });

  it.each(Object.entries(LIST_MAP_KEYS).flatMap(([field, all]) => all.map((keys) => [field, keys] as const)))(
    'are all declared there: %s by %j',
    (field, keys) => {
      expect(declared.some((each) => each.field === field && each.keys.join() === keys.join())).toBe(true);
    },
  );
});
