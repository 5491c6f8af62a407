import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { KubeObject } from '../../src/api/kube.ts';
import { STAMP } from '../../src/backends/flux/names.ts';
import { valuesText } from '../../src/backends/flux/values-text.ts';
import { asArray, asString, at, type JsonObject } from '../../src/lib/json.ts';
import { formatTime } from '../../src/lib/time.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';

const FIXTURES = fileURLToPath(new URL('../fixtures/', import.meta.url));
const TRACES = `${FIXTURES}flux-traces/`;

/** One line of a trace. */
export interface TraceEvent {
  readonly t: number;
  readonly type: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

export interface Trace {
  /** Its number, such as `01`. */
  readonly id: string;
  /** Its number and a few words. */
  readonly file: string;
  readonly title: string;
  readonly namespace: string;
  readonly events: readonly TraceEvent[];
}

/** What a driver of ours would have noted at an action. */
export interface Attempt {
  readonly trace: string;
  readonly t: number;
  readonly name: string;
  readonly token: string;
  /** As it is stamped: the version, with the digest of its manifest where it has one. */
  readonly chart: string;
  readonly values: JsonObject;
}

/** One version of a HelmRelease, with what a driver of ours had noted on it by then. */
export interface Version {
  readonly t: number;
  readonly now: number;
  readonly target: ReleaseTarget;
  readonly object: KubeObject;
  readonly attempt: Attempt;
}

export function traceNames(): readonly string[] {
  const files = readdirSync(TRACES).filter((file) => file.endsWith('.json'));
  return files.map((file) => file.replace('.json', '')).sort();
}

export function readTrace(file: string): Trace {
  const trace = JSON.parse(readFileSync(`${TRACES}${file}.json`, 'utf8')) as Omit<Trace, 'id' | 'file'>;
  return { ...trace, file, id: file.slice(0, 2) };
}

export function readAttempts(): readonly Attempt[] {
  const lines = readFileSync(`${FIXTURES}flux-verdicts/attempts.txt`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(/ {2,}/));
  const manifests = new Map(
    lines.flatMap(([word, chart = '', digest = '']) => (word === 'chart' ? [[chart, digest]] : [])),
  );
  return lines.flatMap(([trace = '', t, name = '', token = '', chart = '', values = '']) => {
    if (trace === 'chart') return [];
    const version = chart.replace(/-http$/, '').replace(/^[a-z]+-/, '');
    const digest = manifests.get(chart);
    const stamp = digest === undefined ? version : `${version}@${digest}`;
    return [{ trace, t: Number(t), name, token, chart: stamp, values: JSON.parse(values) as JsonObject }];
  });
}

/** Every version of every HelmRelease of a trace, in the order in which they were seen. */
export function versionsOf(trace: Trace, attempts: readonly Attempt[]): readonly Version[] {
  const begun = new Map<string, { readonly attempt: Attempt; readonly former: string }>();
  const last = new Map<string, TraceEvent>();
  const versions: Version[] = [];
  for (const event of trace.events.filter(({ type }) => type === 'helmrelease')) {
    const { name, t } = event;
    const before = last.get(name);
    const due = attempts.filter((each) => each.trace === trace.id && each.name === name && each.t <= t).at(-1);
    const known = begun.get(name);
    if (due !== undefined && due !== known?.attempt && isWritten(due, event, before)) {
      begun.set(name, { attempt: due, former: digestOf(before) });
    }
    last.set(name, event);
    const current = begun.get(name);
    if (current === undefined) throw new Error(`${trace.file}: ${name} was written by nobody of ours at ${String(t)}`);
    versions.push(versionOf(trace, event, current));
  }
  return versions;
}

/** The first version that has what an action wrote: a new spec, or its token. */
function isWritten({ token }: Attempt, event: TraceEvent, before: TraceEvent | undefined): boolean {
  if (before === undefined || event['generation'] !== before['generation']) return true;
  return at(event, 'annotations', 'reconcile.fluxcd.io/requestedAt') === token;
}

function digestOf(event: TraceEvent | undefined): string {
  return asString(at(asArray(at(event, 'status', 'history'))[0], 'digest')) ?? '';
}

function versionOf(
  { namespace }: Trace,
  event: TraceEvent,
  { attempt, former }: { readonly attempt: Attempt; readonly former: string },
): Version {
  const { name, t } = event;
  const deletedAt = event['deletionTimestamp'];
  const { configDigest } = valuesText(attempt.values);
  const stamps = {
    [STAMP.attempt]: attempt.token,
    [STAMP.digest]: `digest-${attempt.token}`,
    [STAMP.chart]: attempt.chart,
    [STAMP.former]: former,
    [STAMP.instructedAt]: formatTime(attempt.t),
    ...(configDigest === undefined ? {} : { [STAMP.configDigest]: configDigest }),
  };
  const object = {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: {
      name,
      namespace,
      generation: event['generation'] as number,
      finalizers: event['finalizers'] as readonly string[],
      annotations: { ...(event['annotations'] as Readonly<Record<string, string>> | undefined), ...stamps },
      ...(typeof deletedAt === 'number' ? { deletionTimestamp: formatTime(deletedAt) } : {}),
    },
    spec: { ...(event['suspend'] === true ? { suspend: true } : {}) },
    status: event['status'],
  };
  const target = { package: 'shop', component: name, releaseName: name, namespace };
  return { t, now: t, target, object, attempt };
}
