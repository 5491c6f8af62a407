import type { CelValue } from './values.ts';

/** Where in the expression a node stands, by UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** An expression as it is checked and evaluated; macros are expanded. */
export type Node =
  | Constant
  | Identifier
  | Select
  | Index
  | Call
  | ListLiteral
  | MapLiteral
  | Logic
  | Conditional
  | Comprehension
  | OptionalMap;

export interface Constant extends Span {
  readonly op: 'constant';
  readonly value: CelValue;
}

export interface Identifier extends Span {
  readonly op: 'identifier';
  readonly name: string;
  /** Written with a leading dot: never the variable of a macro. */
  readonly rooted: boolean;
}

export interface Select extends Span {
  readonly op: 'select';
  /** `has`: whether it is there; `optional`: `.?`. */
  readonly mode: 'value' | 'optional' | 'has';
  readonly operand: Node;
  readonly field: string;
}

export interface Index extends Span {
  readonly op: 'index';
  readonly mode: 'value' | 'optional';
  readonly operand: Node;
  readonly index: Node;
}

/** A function or an operator. */
export interface Call extends Span {
  readonly op: 'call';
  /** Where its name stands. */
  readonly at: number;
  readonly name: string;
  /** Whether the first argument is written before the name. */
  readonly method: boolean;
  readonly args: readonly Node[];
}

export interface ListLiteral extends Span {
  readonly op: 'list';
  readonly items: readonly Node[];
}

export interface MapEntry {
  readonly key: Node;
  readonly value: Node;
  /** Written `?key: value`: the value is an optional. */
  readonly optional: boolean;
}

export interface MapLiteral extends Span {
  readonly op: 'map';
  readonly entries: readonly MapEntry[];
}

export interface Logic extends Span {
  readonly op: '&&' | '||';
  readonly terms: readonly Node[];
}

export interface Conditional extends Span {
  readonly op: '?:';
  readonly condition: Node;
  readonly consequent: Node;
  readonly alternate: Node;
}

export type Macro =
  | 'all'
  | 'exists'
  | 'exists_one'
  | 'map'
  | 'filter'
  | 'sortBy'
  | 'transformMap'
  | 'transformMapEntry';

export interface Comprehension extends Span {
  readonly op: 'comprehension';
  readonly macro: Macro;
  readonly range: Node;
  readonly variable: string;
  /** For the value, where `variable` is its index or key. */
  readonly second?: string;
  /** Only of a `map` with three arguments, and the like. */
  readonly filter?: Node;
  readonly step: Node;
}

export interface OptionalMap extends Span {
  readonly op: 'optional-map';
  /** Whether the body gives an optional itself: `optFlatMap`. */
  readonly flat: boolean;
  readonly operand: Node;
  readonly variable: string;
  readonly body: Node;
}

/** All nodes directly below one. */
export function childrenOf(node: Node): readonly Node[] {
  switch (node.op) {
    case 'constant':
    case 'identifier':
      return [];
    case 'select':
      return [node.operand];
    case 'index':
      return [node.operand, node.index];
    case 'call':
      return node.args;
    case 'list':
      return node.items;
    case 'map':
      return node.entries.flatMap((entry) => [entry.key, entry.value]);
    case '&&':
    case '||':
      return node.terms;
    case '?:':
      return [node.condition, node.consequent, node.alternate];
    case 'comprehension':
      return node.filter === undefined ? [node.range, node.step] : [node.range, node.filter, node.step];
    case 'optional-map':
      return [node.operand, node.body];
  }
}
