import { asArray, at, isRecord } from '../../lib/json.ts';
import { forbidden, invalidValue, notSupported, required } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { StatusCause } from '../model/status-error.ts';
import { patternMistake } from './patterns.ts';
import { readRules, readSchema } from './read-schema.ts';
import { validateValue } from './validate-value.ts';

type Causes = readonly StatusCause[];

const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];

/** Whether a schema of a definition is structural: every field has a type, and so on. */
export function schemaProblems(schema: JsonMap, path: string): Causes {
  const structure = [...rootProblems(schema, path), ...nodeProblems(schema, path)];
  // Rules and defaults are of a schema that has to be one first.
  return structure.length > 0 ? structure : [...ruleMistakes(schema, path), ...defaultProblems(schema, path)];
}

function rootProblems({ type, nullable }: JsonMap, path: string): Causes {
  if (type === undefined || type === '') return [required(`${path}.type`, 'must not be empty at the root')];
  return [
    ...(type === 'object' ? [] : [invalidValue(`${path}.type`, type, 'must be object at the root')]),
    ...(nullable === true ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : []),
  ];
}

function nodeProblems(schema: JsonMap, path: string): Causes {
  const { items, properties, additionalProperties } = schema;
  return [
    ...typeProblems(schema, path),
    ...patternProblems(schema['pattern'], `${path}.pattern`),
    ...ruleProblems(schema, path),
    ...keyProblems(schema, path),
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) =>
      fieldProblems(property, `${path}.properties[${name}]`, 'must not be empty for specified object fields'),
    ),
    ...(isRecord(items) ? fieldProblems(items, `${path}.items`, 'must not be empty for specified array items') : []),
    ...(isRecord(additionalProperties)
      ? fieldProblems(
          additionalProperties,
          `${path}.additionalProperties`,
          'must not be empty for specified object fields',
        )
      : []),
  ];
}

function typeProblems({ type, items, properties, additionalProperties }: JsonMap, path: string): Causes {
  const hasBoth = isRecord(properties) && Object.keys(properties).length > 0 && additionalProperties !== undefined;
  const isKnown = type === undefined || type === '' || TYPES.some((one) => one === type);
  return [
    ...(isKnown ? [] : [notSupported(`${path}.type`, type, TYPES)]),
    ...(type === 'array' && !isRecord(items) ? [required(`${path}.items`, 'must be specified')] : []),
    ...(hasBoth && additionalProperties !== false
      ? [forbidden(`${path}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')]
      : []),
  ];
}

function fieldProblems(schema: unknown, path: string, detail: string): Causes {
  if (!isRecord(schema)) return [];
  const { type } = schema;
  const isFree =
    schema['x-kubernetes-int-or-string'] === true || schema['x-kubernetes-preserve-unknown-fields'] === true;
  return [
    ...((type === undefined || type === '') && !isFree ? [required(`${path}.type`, detail)] : []),
    ...nodeProblems(schema, path),
  ];
}

function patternProblems(pattern: unknown, path: string): Causes {
  const mistake = typeof pattern === 'string' ? patternMistake(pattern) : undefined;
  if (mistake === undefined) return [];
  return [invalidValue(path, pattern, `must be a valid regular expression, but isn't: ${mistake}`)];
}

function ruleProblems(schema: JsonMap, path: string): Causes {
  return asArray(schema['x-kubernetes-validations']).flatMap((rule, index) => {
    const text = at(rule, 'rule');
    const isMissing = typeof text !== 'string' || text.trim() === '';
    return isMissing
      ? [required(`${path}.x-kubernetes-validations[${String(index)}].rule`, 'rule is not specified')]
      : [];
  });
}

/** Rules that are no CEL. */
function ruleMistakes(schema: JsonMap, path: string): Causes {
  return inEachSchema(schema, path, (one, place) => {
    return readRules(one).flatMap(({ rule, compiled }, index) => {
      if (compiled?.mistake === undefined) return [];
      const field = `${place}.x-kubernetes-validations[${String(index)}].rule`;
      return [invalidValue(field, rule, `compilation failed: ${compiled.mistake}`)];
    });
  });
}

function keyProblems(schema: JsonMap, path: string): Causes {
  const keys = asArray(schema['x-kubernetes-list-map-keys']);
  const isMap = schema['x-kubernetes-list-type'] === 'map';
  const place = `${path}.x-kubernetes-list-map-keys`;
  if (!isMap) {
    const detail = 'must be map if x-kubernetes-list-map-keys is non-empty';
    return keys.length === 0
      ? []
      : [invalidValue(`${path}.x-kubernetes-list-type`, schema['x-kubernetes-list-type'] ?? null, detail)];
  }
  if (keys.length === 0) return [required(place, 'must not be empty if x-kubernetes-list-type is map')];
  const items = schema['items'];
  const known = keys.filter((key) => at(items, 'properties', String(key)) !== undefined);
  return [
    ...(known.length === keys.length
      ? []
      : [invalidValue(place, keys, 'entries must all be names of item properties')]),
    ...known
      .filter((key) => at(items, 'properties', String(key), 'default') === undefined)
      .filter((key) => !asArray(at(items, 'required')).includes(key))
      .map((key) =>
        required(
          `${path}.items.properties[${String(key)}].default`,
          'this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
        ),
      ),
  ];
}

function defaultProblems(schema: JsonMap, path: string): Causes {
  return inEachSchema(schema, path, (one, place) => {
    const byDefault = one['default'];
    if (byDefault === undefined || byDefault === null) return [];
    return validateValue(byDefault, readSchema(one), { path: `${place}.default` });
  });
}

function inEachSchema(schema: JsonMap, path: string, judge: (schema: JsonMap, path: string) => Causes): Causes {
  const { properties, items, additionalProperties } = schema;
  const inner = (one: unknown, place: string): Causes => (isRecord(one) ? inEachSchema(one, place, judge) : []);
  return [
    ...judge(schema, path),
    ...Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, property]) =>
      inner(property, `${path}.properties[${name}]`),
    ),
    ...inner(items, `${path}.items`),
    ...inner(additionalProperties, `${path}.additionalProperties`),
  ];
}
