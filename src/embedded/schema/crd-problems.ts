import { asArray, asString, at, isRecord } from '../../lib/json.ts';
import { invalidValue, notSupported, required } from '../model/causes.ts';
import type { JsonMap } from '../model/object.ts';
import type { StatusCause } from '../model/status-error.ts';
import { isDns1035Label, isDnsSubdomain } from './names.ts';
import { schemaProblems } from './schema-problems.ts';

type Causes = readonly StatusCause[];

/** What is wrong with a CustomResourceDefinition: the checks of the API server that authors meet. */
export function crdProblems(crd: JsonMap): Causes {
  const spec = isRecord(crd['spec']) ? crd['spec'] : {};
  const { group, scope, names, versions } = spec;
  const expected = `${textOf(at(names, 'plural'))}.${textOf(group)}`;
  const name = textOf(at(crd, 'metadata', 'name'));
  return [
    ...(name === expected ? [] : [invalidValue('metadata.name', name, 'must be spec.names.plural+"."+spec.group')]),
    ...groupProblems(textOf(group)),
    ...scopeProblems(scope),
    ...versionsProblems(asArray(versions)),
    ...namesProblems(names),
  ];
}

function groupProblems(group: string): Causes {
  const path = 'spec.group';
  if (group === '') return [required(path)];
  const malformed = isDnsSubdomain(group);
  if (malformed.length > 0) return [invalidValue(path, group, malformed.join(','))];
  return group.includes('.') ? [] : [invalidValue(path, group, 'should be a domain with at least one dot')];
}

function scopeProblems(scope: unknown): Causes {
  if (textOf(scope) === '') return [required('spec.scope')];
  const scopes = ['Cluster', 'Namespaced'];
  return scopes.includes(textOf(scope)) ? [] : [notSupported('spec.scope', scope, scopes)];
}

function namesProblems(names: unknown): Causes {
  return ['plural', 'singular', 'kind', 'listKind'].flatMap((field) => {
    const path = `spec.names.${field}`;
    const name = textOf(at(names, field));
    if (name === '') return [required(path)];
    const isMixed = field === 'kind' || field === 'listKind';
    const malformed = isDns1035Label(isMixed ? name.toLowerCase() : name);
    if (malformed.length === 0) return [];
    const hint = isMixed ? 'may have mixed case, but should otherwise match: ' : '';
    return [invalidValue(path, name, `${hint}${malformed.join(',')}`)];
  });
}

function versionsProblems(versions: readonly unknown[]): Causes {
  const storing = versions.filter((version) => at(version, 'storage') === true);
  const names = versions.map((version) => textOf(at(version, 'name')));
  const shown = versions.length === 0 ? null : versions;
  return [
    ...versions.flatMap((version, index) => versionProblems(version, `spec.versions[${String(index)}]`)),
    ...(new Set(names).size === names.length
      ? []
      : [invalidValue('spec.versions', shown, 'must contain unique version names')]),
    ...(storing.length === 1
      ? []
      : [invalidValue('spec.versions', shown, 'must have exactly one version marked as storage version')]),
    ...(storing.length === 0
      ? [invalidValue('status.storedVersions', null, 'must have at least one stored version')]
      : []),
    // What is stored first is the first one.
    ...storing.slice(1).map((version) => {
      const detail = `must have the storage version ${textOf(at(version, 'name'))}`;
      return invalidValue('status.storedVersions', [at(storing[0], 'name')], detail);
    }),
  ];
}

function versionProblems(version: unknown, path: string): Causes {
  const name = textOf(at(version, 'name'));
  const schema = at(version, 'schema', 'openAPIV3Schema');
  const place = `${path}.schema.openAPIV3Schema`;
  return [
    ...isDns1035Label(name).map((message) => invalidValue(`${path}.name`, name, message)),
    ...(isRecord(schema) ? schemaProblems(schema, place) : [required(place)]),
    ...asArray(at(version, 'additionalPrinterColumns')).flatMap((column, index) =>
      columnProblems(column, `${path}.additionalPrinterColumns[${String(index)}]`),
    ),
  ];
}

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];

function columnProblems(column: unknown, path: string): Causes {
  const [name, type, jsonPath] = ['name', 'type', 'jsonPath'].map((field) => textOf(at(column, field)));
  return [
    ...(name === '' ? [required(`${path}.name`)] : []),
    ...(type === ''
      ? [required(`${path}.type`, `must be one of ${COLUMN_TYPES.join(',')}`)]
      : COLUMN_TYPES.includes(type ?? '')
        ? []
        : [invalidValue(`${path}.type`, type, `must be one of ${COLUMN_TYPES.join(',')}`)]),
    ...(jsonPath === '' ? [required(`${path}.jsonPath`)] : []),
  ];
}

/** What an update of a definition may not change. */
export function crdChanges(crd: JsonMap, old: JsonMap): Causes {
  const isEstablished = asArray(at(old, 'status', 'conditions')).some((condition) => {
    return at(condition, 'type') === 'Established' && at(condition, 'status') === 'True';
  });
  const fixed = (...path: readonly string[]): Causes => {
    const value = at(crd, 'spec', ...path);
    return value === at(old, 'spec', ...path)
      ? []
      : [invalidValue(`spec.${path.join('.')}`, value, 'field is immutable')];
  };
  return [
    ...(isEstablished ? [...fixed('scope'), ...fixed('names', 'kind')] : []),
    ...fixed('group'),
    ...fixed('names', 'plural'),
    ...missingVersions(crd),
  ];
}

function missingVersions(crd: JsonMap): Causes {
  const served = asArray(at(crd, 'spec', 'versions')).map((version) => at(version, 'name'));
  return asArray(at(crd, 'status', 'storedVersions')).flatMap((version, index) => {
    if (served.includes(version)) return [];
    const name = String(version);
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    return [invalidValue(`status.storedVersions[${String(index)}]`, version, detail)];
  });
}

function textOf(value: unknown): string {
  return asString(value) ?? '';
}
