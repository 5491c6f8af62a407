import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../model/object.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';

describe('a label selector', () => {
  const labels = { app: 'web', tier: 'front', empty: '', 'example.org/size': '10' };

  it.each([
    ['', true],
    ['app=web', true],
    ['app==web,tier=front', true],
    ['app=db', false],
    ['app!=db', true],
    ['missing!=db', true],
    ['empty=', true],
    ['app in (web,db)', true],
    ['app in (db)', false],
    ['app notin (db)', true],
    ['missing notin (db)', true],
    ['app', true],
    ['missing', false],
    ['!missing', true],
    ['! app', false],
    ['example.org/size>9', true],
    ['example.org/size<9', false],
    ['app>1', false],
  ])('%s selects: %s', (text, expected) => {
    expect(parseLabelSelector(text)(labels)).toBe(expected);
  });

  it('finds nothing of an object without labels but what asks for none', () => {
    expect(parseLabelSelector('app')(undefined)).toBe(false);
    expect(parseLabelSelector('!app')(undefined)).toBe(true);
  });

  it.each([
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in (', "unable to parse requirement: found '', expected: ',', ')' or identifier"],
    ['a=b c', "found 'c', expected: ',' or 'end of string'"],
    ['a=b,', "found '', expected: identifier after ','"],
    ['a/b/c=d', expect.stringMatching(/Invalid value: "a\/b\/c": a valid label key/) as string],
    ['a=-', expect.stringMatching(/Invalid value: "-": a valid label/) as string],
  ])('%s is refused', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(expect.objectContaining({ reason: 'BadRequest', message }));
  });
});

describe('a field selector', () => {
  const object: StoredObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace: 'b', uid: '', resourceVersion: '', creationTimestamp: '' },
    spec: { nodeName: 'n', color: 're,d' },
    status: { phase: 'Running' },
  };
  const pods = { group: '', plural: 'pods', selectableFields: ['spec.color'] };

  it.each([
    ['', true],
    ['metadata.name=a,metadata.namespace==b', true],
    ['metadata.name!=a', false],
    ['spec.nodeName=n,status.phase=Running', true],
    ['spec.nodeName=', false],
    ['status.podIP=', true],
    ['spec.hostNetwork=false', true],
    ['spec.color=re\\,d', true],
  ])('%s selects: %s', (text, expected) => {
    expect(parseFieldSelector(text, pods)(object)).toBe(expected);
  });

  it.each([
    ['spec.other=1', pods, 'field label not supported: spec.other'],
    ['abc', pods, "invalid selector: 'abc'; can't understand 'abc'"],
    [
      'spec.x=1',
      { group: '', plural: 'configmaps' },
      '"spec.x" is not a known field selector: only "metadata.name", "metadata.namespace"',
    ],
  ])('%s is refused', (text, kind, message) => {
    expect(() => parseFieldSelector(text, kind)).toThrow(expect.objectContaining({ reason: 'BadRequest', message }));
  });
});
