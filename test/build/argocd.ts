import { readFileSync } from 'node:fs';
import type { KubeObject } from '../../src/api/kube.ts';
import { NOTE } from '../../src/backends/argocd/notes.ts';
import type { DescribedObject } from '../../src/backends/argocd/noted.ts';
import { translateApplication } from '../../src/backends/argocd/translate.ts';
import type { ChartLocation } from '../../src/helm/chart-location.ts';
import { at, isRecord } from '../../src/lib/json.ts';
import type { DesiredRelease } from '../../src/ports/backend.ts';
import { desiredRelease, TARGET } from './helm-release.ts';

export const NOW = Date.parse('2026-01-01T00:00:00Z');
export const LOCATION: ChartLocation = {
  kind: 'http',
  repository: 'https://charts.example.com/stable',
  name: 'web',
  version: '1.0.0',
};
export const OPTIONS = { namespace: 'argocd', project: 'default', inlineSecretValues: false };

export interface WriteShape {
  readonly release?: Partial<DesiredRelease>;
  readonly location?: ChartLocation;
  readonly objects?: readonly DescribedObject[];
  readonly live?: KubeObject;
}

/** The Application of TARGET as kubepkg has just written it. */
export function written({ release = {}, location = LOCATION, objects = [], live }: WriteShape = {}): KubeObject {
  const instruction = { release: desiredRelease(release), location, objects, options: OPTIONS, now: NOW };
  return translateApplication(instruction, live);
}

type Status = Readonly<Record<string, unknown>>;

export function withStatus(application: KubeObject, status: Status): KubeObject {
  return { ...application, status: { ...statusOf(application), ...status } };
}

/** Argo CD has compared what is wanted now. */
export function compared(application: KubeObject, resources: readonly unknown[] = []): KubeObject {
  const { source, destination } = specOf(application);
  return withStatus(application, { sync: { status: 'OutOfSync', comparedTo: { source, destination } }, resources });
}

/** The operation that is requested has come to this phase. */
export function atPhase(application: KubeObject, phase: string, state: Status = {}): KubeObject {
  const { operation, ...rest } = application;
  const isOver = ['Succeeded', 'Failed', 'Error'].includes(phase);
  const operationState = { phase, operation: operation ?? at(application['status'], 'operationState', 'operation') };
  const next = withStatus(isOver ? rest : application, {
    operationState: { startedAt: '2026-01-01T00:00:01Z', ...operationState, ...state },
  });
  return next;
}

/** Its sync is in the history, by what is wanted now. */
export function recorded(application: KubeObject, id: number, by: Status = { username: 'kubepkg' }): KubeObject {
  const history = at(application['status'], 'history');
  const entry = { id, source: specOf(application)['source'], initiatedBy: by };
  return withStatus(application, { history: [...(Array.isArray(history) ? (history as unknown[]) : []), entry] });
}

/** All that a good delivery leaves behind. */
export function synced(shape: WriteShape = {}, id = 0): KubeObject {
  return atPhase(recorded(compared(written(shape)), id), 'Succeeded', { message: 'successfully synced' });
}

export function withSpec(application: KubeObject, spec: Status): KubeObject {
  return { ...application, spec: { ...specOf(application), ...spec } };
}

/** Somebody wants other values. */
export function edited(application: KubeObject): KubeObject {
  const { source } = specOf(application);
  const helm = { ...(at(source, 'helm') as Status), valuesObject: { color: 'pink' } };
  return withSpec(application, { source: { ...(source as Status), helm } });
}

export function annotated(application: KubeObject, annotations: Readonly<Record<string, string>>): KubeObject {
  const { metadata } = application;
  return { ...application, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

export function noteIn({ metadata }: KubeObject, note: keyof typeof NOTE): string | undefined {
  return metadata.annotations?.[NOTE[note]];
}

export function specOf({ spec }: KubeObject): Status {
  return isRecord(spec) ? spec : {};
}

export function statusOf({ status }: KubeObject): Status {
  return isRecord(status) ? status : {};
}

/** The versions of one Application, as the real Argo CD made them. */
export function traceOf(name: string): readonly KubeObject[] {
  const file = new URL(`../fixtures/argocd-traces/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as readonly KubeObject[];
}

export { TARGET };
