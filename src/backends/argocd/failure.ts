import type { ErrorCode } from '../../api/errors.ts';
import { ERROR_PATTERNS, oneLine } from '../../helm/errors.ts';
import type { PresentRelease } from '../../ports/backend.ts';
import { type ApplicationFacts, isStopped } from './application.ts';

type Failure = NonNullable<PresentRelease['failure']>;

interface FailurePattern {
  readonly code: ErrorCode;
  readonly pattern: RegExp;
}

/** What Argo CD says of a chart that it cannot get or render. */
const TARGET = 'Failed to load target state|failed to generate manifest|Manifest generation error';

/** What its messages mean; the first that matches counts, and those of helm come after. */
export const FAILURE_PATTERNS: readonly FailurePattern[] = [
  { code: 'DeadlineExceeded', pattern: /controller sync timeout|terminating due to timeout/ },
  { code: 'Interrupted', pattern: /^Operation terminat/ },
  { code: 'OwnershipConflict', pattern: /Shared resource found/ },
  { code: 'InvalidConfiguration', pattern: /is not permitted in project|do not match any of the allowed destinations/ },
  { code: 'InvalidConfiguration', pattern: /InvalidSpecError|referencing project .* which does not exist/ },
  { code: 'InvalidConfiguration', pattern: /Failed to load application project|cluster .* not found|impersonat/ },
  { code: 'KindNotServed', pattern: /could not find .* for requested resource|CRD is installed on the destination/ },
  { code: 'ValuesInvalid', pattern: /values don't meet the specifications of the schema/ },
  { code: 'ChartInvalid', pattern: /chart requires kubeVersion|missing in charts\/ directory/ },
  ...target('RegistryUnauthorized', '\\b401\\b|\\b403\\b|[Uu]nauthorized|denied|authentication required|[Ff]orbidden'),
  ...target('ArtifactNotFound', '\\b404\\b|[Nn]ot [Ff]ound|no chart (name|version) found|manifest unknown'),
  ...target('RegistryUnreachable', 'connection refused|no such host|i/o timeout|connection reset|x509: |no route to'),
  ...target(
    'RegistryUnreachable',
    '\\bEOF\\b|[Tt]oo [Mm]any [Rr]equests|\\b5\\d\\d\\b|TLS handshake|server misbehaving',
  ),
  ...target('RegistryUnreachable', 'code = (Unavailable|DeadlineExceeded|ResourceExhausted|Canceled)|context deadline'),
  ...target('RegistryUnreachable', 'not a valid chart repository or cannot be reached|failed to connect to repo'),
  ...target('RenderFailed', ''),
  { code: 'ApiUnreachable', pattern: /Failed to load live state|failed to get cluster version|failed to load openAPI/ },
];

/** Texts of Argo CD that say nothing, differ from time to time, or name its own files. */
const NOISE: readonly (readonly [RegExp, string])[] = [
  [/^ComparisonError: /, ''],
  [/rpc error: code = \w+ desc = /g, ''],
  [/connection error: desc = "([^"]*)"/g, 'connection error: $1'],
  [/Manifest generation error \(cached\): /g, ''],
  [/failed to generate manifest for source 1 of 1: /g, ''],
  [/failed to (execute helm template command|get command args to log): /g, ''],
  [/`helm template [\s\S]*?` failed/g, 'helm template failed'],
  [/`?helm pull [\s\S]*?` failed/g, 'helm pull failed'],
  [/ \(retried \d+ times\)\.$/, ''],
];

/** Why the operation of the attempt ended without success. */
export function explainFailure(facts: ApplicationFacts): Failure {
  const message = facts.current?.message ?? '';
  const text = [message, ...(facts.current?.troubles ?? []).filter((trouble) => !isSaid(message, trouble))].join('; ');
  return { code: isStopped(facts) ? 'HelmKilled' : codeOf(text), message: `${facts.name}: ${readable(text, facts)}` };
}

export function saySpecErrors(facts: ApplicationFacts): string {
  return `${facts.name} is refused by Argo CD: ${readable(facts.specErrors.join('; '), facts)}`;
}

/** What the operation in progress is at. */
export function sayOperation(facts: ApplicationFacts): string {
  const { phase = '', message = '' } = facts.current ?? {};
  if (phase === 'Terminating') return 'its operation is being stopped';
  return message === '' ? 'its operation is in progress' : readable(message, facts);
}

function codeOf(text: string): ErrorCode {
  const found = [...FAILURE_PATTERNS, ...ERROR_PATTERNS].find(({ pattern }) => pattern.test(text));
  return found?.code ?? 'ComponentFailed';
}

function readable(text: string, { values, names }: ApplicationFacts): string {
  const quiet = NOISE.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
  return oneLine(quiet, { values, names, paths: {} });
}

/** The message of the operation quotes that of an object that could not be applied. */
function isSaid(message: string, trouble: string): boolean {
  return message.includes(trouble.slice(trouble.indexOf(': ') + 2));
}

function target(code: ErrorCode, what: string): readonly FailurePattern[] {
  return [{ code, pattern: new RegExp(`(${TARGET})[\\s\\S]*(${what})`) }];
}
