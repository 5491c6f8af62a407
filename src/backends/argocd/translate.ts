import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { asArray, asNumber, at, isRecord } from '../../lib/json.ts';
import { formatTime } from '../../lib/time.ts';
import type { ChartLocation } from '../../helm/chart-location.ts';
import { nameLabel } from '../../helm/labels.ts';
import type { DesiredRelease } from '../../ports/backend.ts';
import { applicationRef, readApplication, USERNAME } from './application.ts';
import { instructionDigest } from './instruction.ts';
import { type DescribedObject, writeNoted } from './noted.ts';
import { NOTE } from './notes.ts';
import { historyLimit } from './size.ts';
import { translateDestination, translateSource } from './source.ts';

const SYNC_OPTIONS = [
  'ServerSideApply=true',
  'CreateNamespace=false',
  'FailOnSharedResource=true',
  'PrunePropagationPolicy=foreground',
] as const;
const REFRESH = 'argocd.argoproj.io/refresh';
/** Of what was compared or refused before: an operation fails on them though they are about the source before. */
const STALE: readonly unknown[] = ['InvalidSpecError', 'ComparisonError', 'UnknownError'];

export interface Instruction {
  readonly release: DesiredRelease;
  readonly location: ChartLocation;
  readonly objects: readonly DescribedObject[];
  readonly options: { readonly namespace: string; readonly project: string };
  readonly now: number;
}

/**
 * The Application with its operation, in one write. Source, destination, project and sync options are ours and replaced
 * whole; what else others set stays. As Argo CD does when it starts a sync, the state of the last operation is taken
 * away: it merges the next one into it, and would leave in it what only the last one had.
 */
export function translateApplication(instruction: Instruction, live?: KubeObject): KubeObject {
  const { release, options } = instruction;
  const { apiVersion, kind, ...ref } = applicationRef(release, options.namespace);
  return {
    ...(live ?? {}),
    apiVersion,
    kind,
    metadata: {
      ...(live?.metadata ?? {}),
      ...ref,
      labels: {
        ...live?.metadata.labels,
        [LABEL.package]: nameLabel(release.package),
        [LABEL.component]: nameLabel(release.component),
      },
      annotations: annotationsOf(instruction, live),
    },
    spec: specOf(instruction, live),
    operation: operationOf(instruction),
    ...(live === undefined ? {} : { status: statusOf(live) }),
  };
}

function annotationsOf(
  { release, location, objects, now }: Instruction,
  live: KubeObject | undefined,
): Readonly<Record<string, string>> {
  const { [NOTE.stopped]: _stopped, [NOTE.stoppedAt]: _at, ...others } = live?.metadata.annotations ?? {};
  const source = translateSource(release, location);
  const automated = at(live?.['spec'], 'syncPolicy', 'automated');
  return {
    ...others,
    [NOTE.attempt]: release.token,
    [NOTE.digest]: release.digest,
    [NOTE.instruction]: instructionDigest({ source, destination: translateDestination(release) }),
    [NOTE.before]: String(newestId(live)),
    [NOTE.instructedAt]: formatTime(now),
    [NOTE.chartDigest]: release.chart.digest,
    [NOTE.objects]: writeNoted(objects),
    [NOTE.releaseName]: release.releaseName,
    [NOTE.releaseNamespace]: release.namespace,
    ...(isRecord(automated) ? { [NOTE.automated]: JSON.stringify(automated) } : {}),
    ...(live !== undefined && mayBeRemembered(release, source, live) ? { [REFRESH]: 'hard' } : {}),
  };
}

/** Argo CD keeps a chart by its version, and an error of a rendering for an hour: both are to be looked at afresh. */
function mayBeRemembered(
  { chart }: DesiredRelease,
  source: Readonly<Record<string, unknown>>,
  live: KubeObject,
): boolean {
  const isSamePlace = ['repoURL', 'chart', 'targetRevision'].every(
    (field) => at(live['spec'], 'source', field) === source[field],
  );
  const isOther = live.metadata.annotations?.[NOTE.chartDigest] !== chart.digest;
  return (isSamePlace && isOther) || readApplication(live).current?.message.includes('ComparisonError') === true;
}

function specOf(
  { release, location, options }: Instruction,
  live: KubeObject | undefined,
): Readonly<Record<string, unknown>> {
  const spec = isRecord(live?.['spec']) ? live['spec'] : {};
  // Both would take the place of the source.
  const { sources: _sources, sourceHydrator: _hydrator, ...kept } = spec;
  const policy = isRecord(kept['syncPolicy']) ? kept['syncPolicy'] : {};
  const { automated: _automated, ...others } = policy;
  return {
    ...kept,
    project: options.project,
    source: translateSource(release, location),
    destination: translateDestination(release),
    syncPolicy: { ...others, syncOptions: SYNC_OPTIONS },
    revisionHistoryLimit: historyLimit(release, asNumber(kept['revisionHistoryLimit'])),
  };
}

function operationOf({ release, location }: Instruction): Readonly<Record<string, unknown>> {
  const { targetRevision: revision } = translateSource(release, location);
  return {
    initiatedBy: { username: USERNAME },
    info: [{ name: NOTE.attempt, value: release.token }],
    sync: { revision, prune: true, syncOptions: SYNC_OPTIONS },
  };
}

function statusOf(live: KubeObject): Readonly<Record<string, unknown>> {
  const status = isRecord(live['status']) ? live['status'] : {};
  const { operationState: _state, conditions, ...rest } = status;
  const kept = asArray(conditions).filter((condition) => !STALE.includes(at(condition, 'type')));
  return { ...rest, ...(kept.length === 0 ? {} : { conditions: kept }) };
}

function newestId(live: KubeObject | undefined): number {
  return asNumber(at(asArray(at(live?.['status'], 'history')).at(-1), 'id')) ?? -1;
}
