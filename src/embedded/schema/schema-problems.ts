import { asArray, at, isRecord } from '../../lib/json.ts';
import { forbidden, invalidValue, notSupported, required } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { StatusCause } from '../model/status-error.ts';
import { listTypeProblems } from './list-type-problems.ts';
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
    ...listTypeProblems(schema, path),
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
    return readRules(one).flatMap(({ rule, messageExpression, compiled }, index) => {
      const { mistake, messageMistake } = compiled ?? {};
      const field = `${place}.x-kubernetes-validations[${String(index)}]`;
      if (mistake !== undefined) return [invalidValue(`${field}.rule`, rule, `compilation failed: ${mistake}`)];
      if (messageMistake === undefined) return [];
      const detail = `messageExpression compilation failed: ${messageMistake}`;
      return [invalidValue(`${field}.messageExpression`, messageExpression, detail)];
    });
  });
}

function defaultProblems(schema: JsonMap, path: string): Causes {
  return inEachDefaulted(schema, path, (one, place) => {
    const byDefault = one['default'];
    if (byDefault === undefined || byDefault === null) return [];
    const path = `${place}.default`;
    return validateValue(byDefault, readSchema(one), { path }).map((cause) => calledFromDefault(cause, path));
  });
}

/** A default is looked at by itself: what is wrong in it is called by its place there. */
function calledFromDefault({ message, ...cause }: StatusCause, path: string): StatusCause {
  return { ...cause, message: message.replace(`${path}.`, '').replace(path, '') };
}

type Judge = (schema: JsonMap, path: string) => Causes;

/** The API server does not look for defaults below maps. */
function inEachDefaulted(schema: JsonMap, path: string, judge: Judge): Causes {
  return [
    ...judge(schema, path),
    ...ofFieldsAndItems(schema, path, (one, place) => inEachDefaulted(one, place, judge)),
  ];
}

function inEachSchema(schema: JsonMap, path: string, judge: Judge): Causes {
  const { additionalProperties } = schema;
  const inner: Judge = (one, place) => inEachSchema(one, place, judge);
  return [
    ...judge(schema, path),
    ...ofFieldsAndItems(schema, path, inner),
    ...(isRecord(additionalProperties) ? inner(additionalProperties, `${path}.additionalProperties`) : []),
  ];
}

function ofFieldsAndItems({ properties, items }: JsonMap, path: string, judge: Judge): Causes {
  const fields = Object.entries(isRecord(properties) ? properties : {});
  return [
    ...fields.flatMap(([name, one]) => (isRecord(one) ? judge(one, `${path}.properties[${name}]`) : [])),
    ...(isRecord(items) ? judge(items, `${path}.items`) : []),
  ];
}
