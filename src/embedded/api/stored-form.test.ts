import { describe, expect, it } from 'vitest';
import type { Schema } from '../model/schema.ts';
import { storedForm } from './stored-form.ts';

const RULE: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([
    ['verbs', { type: 'array', items: { type: 'string' }, whenEmpty: 'null' }],
    ['names', { type: 'array', items: { type: 'string' } }],
  ]),
};
const ROLE: Schema = {
  type: 'object',
  properties: new Map<string, Schema>([['rules', { type: 'array', items: RULE, whenEmpty: 'null' }]]),
};

describe('storedForm', () => {
  it('makes lists null that are always written and have no items', () => {
    expect(storedForm({ rules: [] }, ROLE)).toEqual({ rules: null });
    expect(storedForm({ rules: [{ verbs: [], names: [] }] }, ROLE)).toEqual({ rules: [{ verbs: null, names: [] }] });
  });

  it('answers the same object when there is nothing to change', () => {
    const role = { rules: [{ verbs: ['get'] }] };
    expect(storedForm(role, ROLE)).toBe(role);
  });
});
