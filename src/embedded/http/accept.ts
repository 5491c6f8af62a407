/** One media type of an `Accept` header, or of `Content-Type`. */
export interface MediaType {
  /** `application/json`. */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

export function mediaTypes(header: string | undefined): readonly MediaType[] {
  return (header ?? '')
    .split(',')
    .map((text) => mediaType(text))
    .filter(({ name }) => name !== '');
}

export function mediaType(text: string): MediaType {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const pairs = parameters.map((part): [string, string] => {
    const equals = part.indexOf('=');
    return equals < 0 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)];
  });
  return { name: name.toLowerCase(), parameters: new Map(pairs) };
}

/** The shape in which objects are asked for. */
export type Shape =
  | { readonly as: 'object' }
  | { readonly as: 'metadata' }
  | { readonly as: 'metadata-list' }
  | { readonly as: 'table'; readonly version: string }
  | undefined;

const JSON_NAMES: readonly string[] = ['application/json', 'application/*', '*/*'];

/** The first of what a client accepts that can be had; undefined when there is none. */
export function shapeOf(header: string | undefined): Shape {
  const accepted = mediaTypes(header);
  if (accepted.length === 0) return { as: 'object' };
  for (const type of accepted) {
    const shape = shapeOfType(type);
    if (shape !== undefined) return shape;
  }
  return undefined;
}

function shapeOfType({ name, parameters }: MediaType): Shape {
  if (!JSON_NAMES.includes(name)) return undefined;
  const as = parameters.get('as');
  if (as === undefined) return { as: 'object' };
  const version = parameters.get('v') ?? '';
  const isKnown = parameters.get('g') === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1');
  return isKnown ? metaShape(as, version) : undefined;
}

function metaShape(as: string, version: string): Shape {
  switch (as) {
    case 'Table':
      return { as: 'table', version };
    case 'PartialObjectMetadata':
      return { as: 'metadata' };
    case 'PartialObjectMetadataList':
      return { as: 'metadata-list' };
    default:
      return undefined;
  }
}
