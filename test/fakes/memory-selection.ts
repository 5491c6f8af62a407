import type { KubeObject } from '../../src/api/kube.ts';
import { asString, at } from '../../src/lib/json.ts';
import type { Selection } from '../../src/ports/cluster.ts';

type Labels = Readonly<Record<string, string>>;

export function isSelected(object: KubeObject, selection: Selection): boolean {
  if (object.apiVersion !== selection.apiVersion || object.kind !== selection.kind) return false;
  if (selection.namespace !== undefined && object.metadata.namespace !== selection.namespace) return false;
  return (
    matchesLabels(object.metadata.labels ?? {}, selection.labelSelector ?? '') &&
    matchesFields(object, selection.fieldSelector ?? '')
  );
}

/** `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, joined by commas. */
function matchesLabels(labels: Labels, selector: string): boolean {
  const terms = selector.split(/,(?![^(]*\))/).filter((term) => term !== '');
  return terms.every((term) => matchesTerm(labels, term.trim()));
}

function matchesTerm(labels: Labels, term: string): boolean {
  const set = /^(\S+) (in|notin) \((.*)\)$/.exec(term);
  if (set !== null) {
    const value = labels[set[1] ?? ''];
    const isIn = value !== undefined && (set[3] ?? '').split(',').includes(value);
    return isIn === (set[2] === 'in');
  }
  const equality = /^([^!=]+)(!?)==?(.*)$/.exec(term);
  if (equality !== null) return (labels[equality[1] ?? ''] === equality[3]) === (equality[2] === '');
  return term.startsWith('!') ? labels[term.slice(1)] === undefined : labels[term] !== undefined;
}

function matchesFields(object: KubeObject, selector: string): boolean {
  const terms = selector.split(',').filter((term) => term !== '');
  return terms.every((term) => {
    const [field = '', value = ''] = term.split('=');
    return (asString(at(object, ...field.split('.'))) ?? '') === value;
  });
}
