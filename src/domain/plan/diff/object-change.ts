import { type KubeObject, type ObjectRef, refOf } from '../../../api/kube.ts';
import { asArray, at } from '../../../lib/json.ts';
import { isCustomKind } from '../../readiness/custom-kinds.ts';
import { align, type Aligned } from './align.ts';
import { clean, isSecret, secretValuesOf } from './clean.ts';
import { fieldPath, itemPath } from './field-path.ts';
import { hunksOf } from './hunks.ts';
import { maskAligned, maskFor } from './mask.ts';
import { renderLines } from './render.ts';

/** One field that differs, with what it has on each side; a list whose items have no names is one field. */
export interface FieldChange {
  /** Such as `spec.template.spec.containers[name="web"].image`. */
  readonly field: string;
  /** Absent: it is added. */
  readonly before?: unknown;
  /** Absent: it is removed. */
  readonly after?: unknown;
}

/** How an object changes. No value of a Secret is in it. */
export interface ObjectChange {
  readonly ref: ObjectRef;
  readonly kind: 'created' | 'changed' | 'deleted' | 'unchanged';
  /** In the order of the text; of an object that is created or deleted the text says all. */
  readonly fields: readonly FieldChange[];
  /** Hunks of YAML as `diff -u` has them; empty when nothing changes. */
  readonly text: string;
}

export interface DiffOptions {
  /** Values of Secrets that may stand elsewhere too, such as in an environment variable; see `secretValuesOf`. */
  readonly secretValues?: readonly string[];
  /** OpenAPI schema of the kind, where a CRD defines it; see `schemaIn`. */
  readonly schema?: unknown;
  /** Unchanged lines around each change; default 3. */
  readonly context?: number;
}

const CONTEXT = 3;

/**
 * What changes from one state of an object to another. Both have to come from the same place for defaults to cancel
 * out: the live object and the answer to a dry run, or two rendered manifests.
 */
export function diffObjects(before: KubeObject, after: KubeObject | undefined, options?: DiffOptions): ObjectChange;
export function diffObjects(before: KubeObject | undefined, after: KubeObject, options?: DiffOptions): ObjectChange;
export function diffObjects(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  options: DiffOptions = {},
): ObjectChange {
  const node = maskedAlignment(before, after, options);
  return {
    ref: refOf((after ?? before) as KubeObject),
    kind: kindOf(before, after, node),
    fields: before === undefined || after === undefined ? [] : fieldChanges(node, ''),
    text: node.kind === 'same' ? '' : hunksOf(renderLines(node), options.context ?? CONTEXT),
  };
}

/** The schema that a CRD has for the version an object is written in. */
export function schemaIn(crd: KubeObject, apiVersion: string): unknown {
  const version = asArray(at(crd, 'spec', 'versions')).find((each) =>
    apiVersion.endsWith(`/${String(at(each, 'name'))}`),
  );
  return at(version, 'schema', 'openAPIV3Schema');
}

function maskedAlignment(
  before: KubeObject | undefined,
  after: KubeObject | undefined,
  { secretValues = [], schema }: DiffOptions,
): Aligned {
  const objects = [before, after].filter((object) => object !== undefined);
  const [left, right] = [before, after].map((object) => (object === undefined ? undefined : clean(object)));
  const custom = objects.some((object) => isCustomKind(object));
  const mask = maskFor([...secretValues, ...secretValuesOf(objects)], objects.some(isSecret));
  return maskAligned(align(left, right, { fields: [], schema, custom }), mask);
}

function kindOf(before: unknown, after: unknown, node: Aligned): ObjectChange['kind'] {
  if (before === undefined) return 'created';
  if (after === undefined) return 'deleted';
  return node.kind === 'same' ? 'unchanged' : 'changed';
}

function fieldChanges(node: Aligned, field: string): readonly FieldChange[] {
  switch (node.kind) {
    case 'same':
      return [];
    case 'value': {
      const { before, after } = node;
      return [{ field, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }];
    }
    case 'map':
      return node.fields.flatMap(({ key, node: child }) => fieldChanges(child, fieldPath(field, key)));
    case 'list':
      return node.items.flatMap(({ id, node: child }) => fieldChanges(child, itemPath(field, id)));
  }
}
