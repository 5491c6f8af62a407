import { type KubeObject, nameOf, type ObjectRef, refOf } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { asArray, asNumber, asString, at } from '../../lib/json.ts';
import { parseTime } from '../../lib/time.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import { applicationName } from './application-name.ts';
import { instructionDigest } from './instruction.ts';
import { NOTE } from './notes.ts';

export const APPLICATION = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' } as const;
/** Argo CD's nearest to suspending an Application. */
export const SKIP_RECONCILE = 'argocd.argoproj.io/skip-reconcile';
/** Who started an operation of ours. */
export const USERNAME = 'kubepkg';

export function applicationRef(target: ReleaseTarget, namespace: string): ObjectRef {
  return { ...APPLICATION, namespace, name: applicationName(target) };
}

/** A sync that was asked for. */
export interface Operation {
  /** Of the attempt of ours that asked. */
  readonly token: string | undefined;
  readonly by: string;
}

export interface OperationState extends Operation {
  readonly phase: string;
  readonly message: string;
  /** What it says of single objects that did not go well. */
  readonly troubles: readonly string[];
}

/** A completed sync. */
export interface SyncRecord {
  readonly id: number;
  readonly instruction: string;
  readonly by: string;
}

/** What an Application says, as far as a verdict needs it. */
export interface ApplicationFacts {
  /** `Application namespace/name`. */
  readonly name: string;
  readonly token: string | undefined;
  readonly digest: string | undefined;
  readonly stopped: string | undefined;
  /** Milliseconds since the epoch; NaN: not noted. */
  readonly stoppedAt: number;
  readonly hasPutAside: boolean;
  /** As written by us, as it is now, and as it was last compared with the cluster. */
  readonly instructed: string | undefined;
  readonly wanted: string;
  readonly compared: string;
  readonly instructedAt: number;
  readonly requested: Operation | undefined;
  readonly current: OperationState | undefined;
  readonly newest: SyncRecord | undefined;
  /** The id of the newest one when the attempt was written; -1: there was none. */
  readonly historyBefore: number;
  readonly specErrors: readonly string[];
  readonly deletionErrors: readonly string[];
  readonly isPaused: boolean;
  /** When its removal began, by whomever. */
  readonly deletedAt: string | undefined;
  /** The values of the user, which no message may hold, and names that may be in one though a value equals them. */
  readonly values: unknown;
  readonly names: readonly string[];
}

export function readApplication(application: KubeObject): ApplicationFacts {
  const { annotations = {}, deletionTimestamp } = application.metadata;
  const spec = application['spec'];
  const status = application['status'];
  const destination = at(spec, 'destination');
  const compared = at(status, 'sync', 'comparedTo');
  return {
    name: nameOf(refOf(application)),
    token: annotations[NOTE.attempt],
    digest: annotations[NOTE.digest],
    stopped: annotations[NOTE.stopped],
    stoppedAt: parseTime(annotations[NOTE.stoppedAt] ?? ''),
    hasPutAside: annotations[NOTE.automated] !== undefined,
    instructed: annotations[NOTE.instruction],
    wanted: wantedInstruction(application),
    compared: instructionDigest({
      source: at(compared, 'source'),
      destination: at(compared, 'destination'),
      sources: at(compared, 'sources'),
    }),
    instructedAt: parseTime(annotations[NOTE.instructedAt] ?? ''),
    requested: operationIn(application['operation']),
    current: stateIn(at(status, 'operationState')),
    newest: recordIn(asArray(at(status, 'history')).at(-1), destination),
    historyBefore: Number(annotations[NOTE.before] ?? Number.NaN),
    specErrors: conditionsIn(status, 'InvalidSpecError'),
    deletionErrors: conditionsIn(status, 'DeletionError'),
    isPaused: /^(1|t|true)$/i.test(annotations[SKIP_RECONCILE] ?? ''),
    deletedAt: deletionTimestamp ?? annotations[NOTE.removal],
    values: at(spec, 'source', 'helm', 'valuesObject'),
    names: namesIn(application),
  };
}

export function wantedInstruction(application: KubeObject): string {
  const spec = application['spec'];
  return instructionDigest({
    source: at(spec, 'source'),
    destination: at(spec, 'destination'),
    sources: at(spec, 'sources'),
    sourceHydrator: at(spec, 'sourceHydrator'),
  });
}

/** An operation goes on until its phase is final; a failed one that is to be retried is Running. */
/** The attempt that it was written for was told to stop. */
export function isStopped({ token, stopped }: Pick<ApplicationFacts, 'token' | 'stopped'>): boolean {
  return token !== undefined && stopped === token;
}

export function isInProgress({ phase }: OperationState): boolean {
  return !['Succeeded', 'Failed', 'Error'].includes(phase);
}

/** The release that an Application is for: the hash in its name alone would not prove it. */
export function releaseOf({ metadata, spec }: KubeObject): Pick<ReleaseTarget, 'namespace' | 'releaseName'> {
  const { annotations = {} } = metadata;
  return {
    namespace: annotations[NOTE.releaseNamespace] ?? asString(at(spec, 'destination', 'namespace')) ?? '',
    releaseName: annotations[NOTE.releaseName] ?? asString(at(spec, 'source', 'helm', 'releaseName')) ?? '',
  };
}

function operationIn(value: unknown): Operation | undefined {
  if (value === undefined || value === null) return undefined;
  const info = asArray(at(value, 'info')).find((item) => at(item, 'name') === NOTE.attempt);
  return { token: asString(at(info, 'value')), by: initiatorIn(at(value, 'initiatedBy')) };
}

function initiatorIn(initiator: unknown): string {
  if (at(initiator, 'automated') === true) return 'automated sync';
  const username = asString(at(initiator, 'username')) ?? '';
  return username === '' ? 'somebody' : username;
}

function stateIn(value: unknown): OperationState | undefined {
  const operation = value === undefined || value === null ? undefined : operationIn(at(value, 'operation') ?? {});
  if (operation === undefined) return undefined;
  return {
    ...operation,
    phase: asString(at(value, 'phase')) ?? '',
    message: asString(at(value, 'message')) ?? '',
    troubles: asArray(at(value, 'syncResult', 'resources')).flatMap((result) => troubleIn(result)),
  };
}

function troubleIn(result: unknown): readonly string[] {
  const hasFailed =
    at(result, 'status') === 'SyncFailed' || ['Failed', 'Error'].includes(String(at(result, 'hookPhase')));
  if (!hasFailed) return [];
  const [kind = '', namespace = '', name = ''] = ['kind', 'namespace', 'name'].map((key) => asString(at(result, key)));
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return [`${kind} ${place}: ${asString(at(result, 'message')) ?? ''}`];
}

/** A record has no destination of its own. */
function recordIn(entry: unknown, destination: unknown): SyncRecord | undefined {
  if (entry === undefined) return undefined;
  const parts = { source: at(entry, 'source'), sources: at(entry, 'sources'), destination };
  return {
    id: asNumber(at(entry, 'id')) ?? 0,
    instruction: instructionDigest(parts),
    by: initiatorIn(at(entry, 'initiatedBy')),
  };
}

function conditionsIn(status: unknown, type: string): readonly string[] {
  return asArray(at(status, 'conditions'))
    .filter((condition) => at(condition, 'type') === type)
    .map((condition) => asString(at(condition, 'message')) ?? '');
}

function namesIn({ metadata, spec }: KubeObject): readonly string[] {
  const { labels = {} } = metadata;
  return [
    metadata.name,
    labels[LABEL.package],
    labels[LABEL.component],
    ...['chart', 'targetRevision', 'repoURL'].map((key) => asString(at(spec, 'source', key))),
    asString(at(spec, 'source', 'helm', 'releaseName')),
    asString(at(spec, 'destination', 'namespace')),
    asString(at(spec, 'project')),
  ].filter((name) => name !== undefined);
}
