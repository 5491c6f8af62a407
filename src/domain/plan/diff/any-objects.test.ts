import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kubeObject as object } from '../../../../test/build/plan-facts.ts';
import type { KubeObject } from '../../../api/kube.ts';
import { isRecord } from '../../../lib/json.ts';
import { secretValuesOf } from './clean.ts';
import { diffObjects, type FieldChange } from './object-change.ts';

const TOKEN = fc.stringMatching(/^[a-z0-9]{10,14}$/).map((text) => `s3cr${text}`);
const WORD = fc.constantFrom('a', 'b', 'c', 'd/e', 'f g', "h'i", '1', '');
const SCALAR = fc.oneof(
  WORD,
  fc.integer({ min: -3, max: 30 }),
  fc.boolean(),
  fc.constantFrom('1', '1000m', 'x\ny\nz', 'x\nw\nz'),
);
const KEY = fc.constantFrom('a', 'b', 'c', 'name', 'x.y/z', "q'r", 'limits', 'requests', 'args');

const { tree: TREE } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    SCALAR,
    fc.dictionary(KEY, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc
      .uniqueArray(fc.record({ name: fc.constantFrom('x', 'y', 'z'), value: tie('tree') }), {
        selector: ({ name }) => name,
        maxLength: 3,
      })
      .map((containers) => ({ containers })),
    fc.uniqueArray(fc.constantFrom('m', 'n', 'o'), { maxLength: 3 }).map((finalizers) => ({ finalizers })),
  ),
}));

function configOf(spec: unknown): KubeObject {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'o' }, spec };
}

describe('for any two objects', () => {
  it('what changes, applied to the one, gives the other', () => {
    fc.assert(
      fc.property(TREE, TREE, (left, right) => {
        const { fields } = diffObjects(configOf(left), configOf(right));
        const applied = fields.reduce((object, change) => applied1(object, change), structuredClone(configOf(left)));
        expect(diffObjects(applied, configOf(right)).fields).toEqual([]);
      }),
    );
  });

  it('one that is equal does not change, and the other way round the signs do', () => {
    fc.assert(
      fc.property(TREE, TREE, (left, right) => {
        expect(diffObjects(configOf(left), structuredClone(configOf(left))).text).toBe('');
        const fields = diffObjects(configOf(left), configOf(right)).fields.map(({ field }) => field);
        const back = diffObjects(configOf(right), configOf(left)).fields.map(({ field }) => field);
        expect(back.toSorted()).toEqual(fields.toSorted());
      }),
    );
  });

  it('the lines of each side, with enough context, are that object', () => {
    fc.assert(
      fc.property(TREE, TREE, (left, right) => {
        const { text } = diffObjects(configOf(left), configOf(right), { context: 10_000 });
        fc.pre(text !== '');
        const lines = text.split('\n').slice(1, -1);
        const side = (other: string): KubeObject =>
          object(
            lines
              .filter((line) => !line.startsWith(other))
              .map((line) => line.slice(1))
              .join('\n'),
          );
        expect(diffObjects(side('+'), configOf(left)).text).toBe('');
        expect(diffObjects(side('-'), configOf(right)).text).toBe('');
      }),
    );
  });

  it('I10 no value of a Secret is in the text or in the fields', () => {
    const values = fc.dictionary(KEY, TOKEN, { maxKeys: 3, noNullPrototype: true });
    fc.assert(
      fc.property(values, values, TREE, (left, right, tree) => {
        const secret = (stringData: unknown): KubeObject => ({
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 's', annotations: { note: JSON.stringify(stringData) } },
          stringData,
        });
        const secretValues = secretValuesOf([secret(left), secret(right)]);
        const around = (all: Readonly<Record<string, string>>): KubeObject =>
          configOf({ tree, env: Object.entries(all).map(([name, value]) => ({ name, value: `--pw=${value}` })) });
        const said = [
          diffObjects(secret(left), secret(right)),
          diffObjects(undefined, secret(right)),
          diffObjects(around(left), around(right), { secretValues }),
        ].map((change) => JSON.stringify(change));
        for (const value of [...Object.values(left), ...Object.values(right)]) {
          expect(said.join()).not.toContain(value);
          expect(said.join()).not.toContain(Buffer.from(value).toString('base64'));
        }
      }),
    );
  });
});

type Step = { readonly key: string } | { readonly id: unknown };

/** Reads a path as people see it. */
function stepsOf(field: string): readonly Step[] {
  const STEP = /\['(?<quoted>(?:[^'\\]|\\.)*)'\]|\[(?<item>(?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]|\.?(?<word>[\w-]+)/g;
  return [...field.matchAll(STEP)].map(({ groups }) => {
    const { quoted, item, word } = groups ?? {};
    if (item !== undefined) return { id: idOf(item) };
    return { key: quoted?.replaceAll(/\\(.)/g, '$1') ?? word ?? '' };
  });
}

function idOf(text: string): unknown {
  if (/^["{\d]/.test(text)) return JSON.parse(text);
  return JSON.parse(`{${text.replaceAll(/(^|,)(\w+)=/g, '$1"$2":')}}`);
}

function applied1(target: unknown, change: FieldChange): KubeObject {
  return put(target, stepsOf(change.field), change.after) as KubeObject;
}

function put(target: unknown, [step, ...rest]: readonly Step[], value: unknown): unknown {
  if (step === undefined) return value;
  if ('key' in step) {
    const fields = { ...(target as Record<string, unknown>) };
    const next = put(fields[step.key], rest, value);
    if (next === undefined) Reflect.deleteProperty(fields, step.key);
    else fields[step.key] = next;
    return fields;
  }
  const items = target as readonly unknown[];
  const index = items.findIndex((item) => isItem(item, step.id));
  const next = put(items[index], rest, value);
  const without = items.filter((_item, at) => at !== index);
  return next === undefined ? without : without.toSpliced(index < 0 ? without.length : index, 0, next);
}

function isItem(item: unknown, id: unknown): boolean {
  if (!isRecord(id)) return item === id;
  return isRecord(item) && Object.entries(id).every(([key, part]) => item[key] === part);
}
