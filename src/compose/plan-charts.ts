import { describeError, type KubepkgError } from '../api/errors.ts';
import type { World } from '../domain/decide/world.ts';
import { chartsOf } from '../domain/plan/assumed-charts.ts';
import type { PredictedFinding } from '../domain/plan/predictions/facts.ts';
import type { PreparedChart } from '../domain/release/snapshot.ts';
import type { DesiredComponent } from '../domain/resolve/desired.ts';
import type { ArtifactSource, FetchedChart } from '../ports/artifacts.ts';
import type { Backend } from '../ports/backend.ts';
import { attempt } from './plan-attempt.ts';

export interface FetchedCharts {
  /** By component, hooks included. */
  readonly fetched: ReadonlyMap<string, FetchedChart>;
  readonly charts: Readonly<Record<string, PreparedChart>>;
  /** Why a chart cannot be had, by component. */
  readonly errors: ReadonlyMap<string, KubepkgError>;
  readonly findings: readonly PredictedFinding[];
  /** What keeps the operator from starting until somebody changes something. */
  readonly failure: World['preparation'] | undefined;
}

interface Sources {
  readonly artifacts: ArtifactSource;
  readonly backend: Backend | undefined;
}

/** The same charts as the operator would fetch, and what it would find of them. */
export async function fetchCharts(
  { artifacts, backend }: Sources,
  components: readonly DesiredComponent[],
): Promise<FetchedCharts> {
  const missing = await missingFor(backend);
  const results = await Promise.all(components.map((component) => fetchOne({ artifacts, backend }, component)));
  const fetched = new Map<string, FetchedChart>();
  const errors = new Map<string, KubepkgError>();
  const findings: PredictedFinding[] = [];
  let failure = missing === undefined ? undefined : failureOf(missing, describeError(missing));
  if (missing !== undefined) findings.push(backendFinding(missing));
  for (const { component, chart, error } of results) {
    if (chart !== undefined) fetched.set(component.name, chart);
    if (error === undefined) continue;
    errors.set(component.name, error);
    if (isFinal(error)) failure ??= failureOf(error, `component ${component.name}: ${describeError(error)}`);
  }
  return { fetched, charts: preparedOf(fetched), errors, findings, failure };
}

type Result = { readonly component: DesiredComponent } & (
  | { readonly chart: FetchedChart; readonly error?: undefined }
  | { readonly error: KubepkgError; readonly chart?: undefined }
);

async function fetchOne({ artifacts, backend }: Sources, component: DesiredComponent): Promise<Result> {
  const { value: chart, error } = await attempt(() => artifacts.fetch(component.chart));
  if (error !== undefined) return { component, error };
  const refusal = backend?.surroundings?.refuses(chart);
  return refusal === undefined ? { component, chart } : { component, error: refusal };
}

async function missingFor(backend: Backend | undefined): Promise<KubepkgError | undefined> {
  const { value: missing, error } = await attempt(async () => backend?.surroundings?.check());
  return error ?? missing;
}

function preparedOf(fetched: ReadonlyMap<string, FetchedChart>): Readonly<Record<string, PreparedChart>> {
  const charts = [...fetched].map(([name, { ref, digest, valuesKeys }]) => {
    return [name, { ref, digest, ...(valuesKeys === undefined ? {} : { valuesKeys }) }] as const;
  });
  return Object.fromEntries(charts);
}

/** No pause: a plan is about what stands against a start now. */
function failureOf(error: KubepkgError, message: string): World['preparation'] {
  const { code } = error;
  const kind = code === 'ArtifactNotFound' ? 'configuration' : error.class;
  return { kind: 'failed', code, class: kind, message, retryAt: 0 };
}

/** The operator tries it again; somebody has to put it there. */
function isFinal(error: KubepkgError): boolean {
  return error.class !== 'transient' || error.code === 'ArtifactNotFound';
}

/** Charts that could not be had now, and what is taken to be in them. */
export function unreachableFindings({ errors }: FetchedCharts, world: World): readonly PredictedFinding[] {
  const assumed = chartsOf(world);
  return [...errors].flatMap(([name, error]) => {
    if (isFinal(error)) return [];
    const wanted = wantedIn(world).find((component) => component.name === name);
    const isKnown = wanted !== undefined && assumed[name]?.ref !== wanted.chart;
    return [unreachable(name, error, isKnown ? RECORDED : UNKNOWN)];
  });
}

const RECORDED = 'it is taken to be what the last revision had';
const UNKNOWN = 'what is in it is not known, and not part of this plan';

export function wantedIn({ resolution }: World): readonly DesiredComponent[] {
  return resolution?.kind === 'resolved' ? [...resolution.desired.hooks, ...resolution.desired.components] : [];
}

function unreachable(component: string, error: KubepkgError, assumption: string): PredictedFinding {
  return {
    code: 'ChartNotFetched',
    severity: 'warning',
    subject: `component ${component}`,
    message: `its chart could not be fetched: ${error.message}; ${assumption}`,
    remedy: error.hint ?? 'plan again when the registry answers',
  };
}

function backendFinding(error: KubepkgError): PredictedFinding {
  return {
    code: error.code,
    severity: 'error',
    subject: 'backend',
    message: error.message,
    remedy: error.hint ?? 'install what the backend needs',
  };
}
