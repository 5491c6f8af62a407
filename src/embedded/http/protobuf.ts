import { formatSeconds, formatTime } from '../../lib/time.ts';
import { loadDefinitions } from '../kinds/load.ts';
import type { JsonMap } from '../model/object.ts';
import type { Schema } from '../model/schema.ts';
import { StatusError } from '../model/status-error.ts';
import extracted from './data/protobuf-fields.json' with { type: 'json' };
import { ProtobufError, readFields } from './protobuf-reader.ts';

/** Numbers of fields by definition and name, as `dev/embedded/protobuf-fields.ts` writes them. */
const NUMBERS: Readonly<Record<string, Readonly<Record<string, number | undefined>>>> = extracted;

const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0]);
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';

/** The object in a body of a typed client of Go: of a built-in kind, or the options of a deletion. */
export type DecodeProtobuf = (body: Buffer) => JsonMap;

/** Not cheap the first time that it is used: keep it. */
export function protobufDecoder(): DecodeProtobuf {
  const made: Decoder[] = [];
  return (body) => {
    const decoder = made[0] ?? new Decoder(loadDefinitions());
    made[0] = decoder;
    try {
      return decoder.decode(body);
    } catch (error) {
      if (!(error instanceof ProtobufError)) throw error;
      throw new StatusError('BadRequest', `error decoding the body of the request: ${error.message}`);
    }
  };
}

/** A message's fields by number: the name, or the message whose fields stand with those of this one. */
type Fields = ReadonlyMap<number, string>;

class Decoder {
  readonly #definitions: ReadonlyMap<string, Schema>;
  readonly #fields = new Map<string, Fields>();
  /** By apiVersion and kind. */
  readonly #kinds: ReadonlyMap<string, string>;

  constructor(definitions: ReadonlyMap<string, Schema>) {
    this.#definitions = definitions;
    // Definitions of custom kinds write parts of themselves in ways of their own.
    const names = [...definitions.keys()].filter((name) => !name.includes('.apiextensions.'));
    this.#kinds = new Map(names.map((name) => [kindKey(name), name]));
  }

  decode(body: Buffer): JsonMap {
    if (!body.subarray(0, MAGIC.length).equals(MAGIC)) throw new ProtobufError();
    const envelope = fieldsOf(body.subarray(MAGIC.length));
    const type = fieldsOf(bytesOf(envelope.get(1)));
    const apiVersion = bytesOf(type.get(1)).toString();
    const kind = bytesOf(type.get(2)).toString();
    const definition = kind === 'DeleteOptions' ? `${META}.DeleteOptions` : this.#kinds.get(typeKey(apiVersion, kind));
    const schema = this.#definitions.get(definition ?? '');
    if (definition === undefined || schema === undefined) {
      throw new StatusError('UnsupportedMediaType', `${kind} of ${apiVersion} is not taken in protobuf: send JSON`);
    }
    return { ...this.#message(bytesOf(envelope.get(2)), definition, schema), apiVersion, kind };
  }

  #message(bytes: Buffer, definition: string, schema: Schema): JsonMap {
    const fields = this.#fieldsOf(definition);
    const object: Record<string, unknown> = {};
    for (const { number, value } of readFields(bytes)) {
      const name = fields.get(number);
      if (name === undefined) continue;
      if (name.startsWith('>')) {
        Object.assign(object, this.#message(bytesOf(value), name.slice(1), schema));
        continue;
      }
      const property = schema.properties?.get(name);
      if (property !== undefined) this.#add(object, { name, schema: property, value });
    }
    return object;
  }

  #add(
    object: Record<string, unknown>,
    { name, schema, value }: { readonly name: string; readonly schema: Schema; readonly value: number | Buffer },
  ): void {
    const known = object[name];
    if (schema.items !== undefined) {
      object[name] = [...(Array.isArray(known) ? (known as readonly unknown[]) : []), this.#value(value, schema.items)];
    } else if (schema.additionalProperties !== undefined) {
      const entry = fieldsOf(bytesOf(value));
      const [key, item] = [bytesOf(entry.get(1)).toString(), entry.get(2) ?? Buffer.alloc(0)];
      object[name] = { ...(known as JsonMap | undefined), [key]: this.#mapValue(item, schema.additionalProperties) };
    } else {
      object[name] = this.#value(value, schema);
    }
  }

  /** Lists as values of a map are messages with their items. */
  #mapValue(value: number | Buffer, schema: Schema): unknown {
    if (schema.items === undefined) return this.#value(value, schema);
    const { items } = schema;
    return [...readFields(bytesOf(value))].map((field) => this.#value(field.value, items));
  }

  #value(value: number | Buffer, schema: Schema): unknown {
    const { definition = '' } = schema;
    const special = SPECIAL[definition.slice(definition.lastIndexOf('.') + 1)];
    if (special !== undefined) return special(bytesOf(value));
    if (typeof value === 'number') return schema.type === 'boolean' ? value !== 0 : value;
    if (schema.properties !== undefined) return this.#message(value, definition, schema);
    return schema.format === 'byte' ? value.toString('base64') : value.toString();
  }

  #fieldsOf(definition: string): Fields {
    const known = this.#fields.get(definition);
    if (known !== undefined) return known;
    const entries = Object.entries(NUMBERS[definition] ?? {});
    const fields = new Map(entries.map(([name, number]): [number, string] => [number ?? 0, name]));
    this.#fields.set(definition, fields);
    return fields;
  }
}

/** Types that write themselves in JSON in another way than their fields say. */
const SPECIAL: Readonly<Record<string, (bytes: Buffer) => unknown>> = {
  Time: (bytes) => timeOf(bytes, formatSeconds),
  MicroTime: (bytes) => timeOf(bytes, (ms) => formatTime(ms).replace('Z', '000Z')),
  Quantity: (bytes) => bytesOf(fieldsOf(bytes).get(1)).toString(),
  IntOrString: (bytes) => {
    const fields = fieldsOf(bytes);
    return fields.get(1) === 1 ? bytesOf(fields.get(3)).toString() : (fields.get(2) ?? 0);
  },
  RawExtension: rawJson,
  FieldsV1: rawJson,
  JSON: rawJson,
};

function timeOf(bytes: Buffer, format: (ms: number) => string): string | null {
  if (bytes.length === 0) return null;
  const fields = fieldsOf(bytes);
  const [seconds = 0, nanos = 0] = [fields.get(1), fields.get(2)];
  return format(Number(seconds) * 1000 + Math.floor(Number(nanos) / 1e6));
}

function rawJson(bytes: Buffer): unknown {
  const raw = bytesOf(fieldsOf(bytes).get(1));
  return raw.length === 0 ? null : JSON.parse(raw.toString());
}

function fieldsOf(bytes: Buffer): ReadonlyMap<number, number | Buffer> {
  return new Map([...readFields(bytes)].map(({ number, value }) => [number, value]));
}

function bytesOf(value: number | Buffer | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  if (typeof value === 'number') throw new ProtobufError();
  return value;
}

function typeKey(apiVersion: string, kind: string): string {
  const [version = '', group = 'core'] = apiVersion.split('/').toReversed();
  return `${group.split('.')[0] ?? ''}/${version}/${kind}`;
}

/** `io.k8s.api.rbac.v1.Role` is `rbac.authorization.k8s.io/v1` Role. */
function kindKey(definition: string): string {
  const [kind = '', version = '', group = ''] = definition.split('.').toReversed();
  return `${group}/${version}/${kind}`;
}
