import { asArray, asNumber, asString, at } from '../../../../src/lib/json.ts';
import type { TraceRelease } from './trace-file.ts';

const CONDITIONS = ['Ready', 'Reconciling', 'Released', 'Stalled', 'Remediated'] as const;

export interface Scene {
  readonly namespace: string;
  readonly names: Names;
}

/** Numbers what is another one at every run, in the order in which it is first seen. */
export class Names {
  readonly #known = new Map<string, string>();

  of(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const name = `#${String(this.#known.size + 1)}`;
    this.#known.set(text, name);
    return name;
  }
}

/** A version of a HelmRelease as one line, without times and without what is another one at every run. */
export function normalForm(release: TraceRelease, { namespace, names }: Scene): string {
  if (release.change === 'DELETED') return 'gone';
  const { status } = release;
  const text = (field: string): string => asString(at(status, field)) ?? '-';
  const number = (field: string): string => String(asNumber(at(status, field)) ?? '-');
  const revision = text('lastAttemptedRevision');
  return [
    `g=${String(release.generation)} og=${number('observedGeneration')} lag=${number('lastAttemptedGeneration')}`,
    ...CONDITIONS.map((type) => `${type}=${conditionText(status, type, namespace)}`),
    `history=[${asArray(at(status, 'history'))
      .map((entry) => snapshotText(entry, names))
      .join(' ')}]`,
    `failures=${number('failures')}/${number('installFailures')}/${number('upgradeFailures')}`,
    `handled=${text('lastHandledReconcileAt')}/${text('lastHandledForceAt')}/${text('lastHandledResetAt')}`,
    `attempted=${text('lastAttemptedReleaseAction')} ${chartText(revision, names)} ${digestText(text('lastAttemptedConfigDigest'))}`,
    `inventory=${String(asArray(at(status, 'inventory', 'entries')).length)}`,
    `chart=${text('helmChart') === '-' ? '-' : 'made'}`,
    `${release.suspend ? 'suspended ' : ''}${release.isBeingDeleted ? 'deleting ' : ''}finalizers=${String(release.finalizers)}`,
  ].join(' ');
}

function conditionText(status: unknown, type: string, namespace: string): string {
  const condition = asArray(at(status, 'conditions')).find((candidate) => at(candidate, 'type') === type);
  if (condition === undefined) return '-';
  const [truth, reason, generation] = ['status', 'reason', 'observedGeneration'].map((field) => at(condition, field));
  const message = (asString(at(condition, 'message')) ?? '').replaceAll(namespace, 'NS');
  return `${String(truth)}/${String(reason)}@${String(generation)}"${messageText(message)}"`;
}

/** What helm, the CEL library and the source-controller say in their own words is cut off. */
function messageText(message: string): string {
  return message
    .replace(/\+[0-9a-f]{12}\b/g, '+#')
    .replace(
      /( is not ready| failed for release .* with chart [^:]*| failed|failed terminally due to configuration error): .*$/s,
      '$1',
    );
}

function snapshotText(entry: unknown, names: Names): string {
  const text = (field: string): string => asString(at(entry, field)) ?? '-';
  const extra = `${at(entry, 'deleted') === undefined ? '' : ' deleted'}${at(entry, 'ociDigest') === undefined ? '' : ' oci'}`;
  const chart = chartText(text('chartVersion'), names);
  return `v${String(at(entry, 'version'))} ${text('status')} ${text('action')} ${chart} ${digestText(text('configDigest'))}${extra};`;
}

/** Charts are packed anew for every run, so their digests differ. */
function chartText(version: string, names: Names): string {
  const [core = '', digest] = version.split('+');
  return digest === undefined ? core : `${core}+${names.of(digest)}`;
}

/** Values are the same, and so are their digests. */
function digestText(digest: string): string {
  return digest.replace('sha256:', '').slice(0, 8);
}

/** Equal neighbours are one state. */
export function distinct(states: readonly string[]): readonly string[] {
  return states.filter((state, index) => state !== states[index - 1]);
}
