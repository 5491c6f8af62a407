import { type ErrorCode, KubepkgError } from '../api/errors.ts';
import type { CommandResult } from '../ports/process.ts';
import { dropQuotedValues, redact } from './redact.ts';

interface ErrorPattern {
  readonly code: ErrorCode;
  readonly pattern: RegExp;
  readonly hint?: string;
}

const SCHEMA_HINT = 'correct the values, or set skipSchemaValidation if the schema itself is at fault';
const ADOPT_HINT = 'remove it, or adopt it with the annotation kubepkg.dev/adopt';
const QUOTA_HINT = 'raise the ResourceQuota of the namespace, or free some of it';

/** What helm's messages mean; the first that matches counts, so the narrower ones come first. */
export const ERROR_PATTERNS: readonly ErrorPattern[] = [
  { code: 'HelmKilled', pattern: /context canceled/ },
  { code: 'ValuesInvalid', pattern: /values don't meet the specifications of the schema/, hint: SCHEMA_HINT },
  { code: 'ReleaseLocked', pattern: /another operation \(install\/upgrade\/rollback\) is in progress/ },
  { code: 'ReleaseLocked', pattern: /release: already exists/ },
  { code: 'OwnershipConflict', pattern: /cannot re-?use a name that is still in use/, hint: ADOPT_HINT },
  { code: 'OwnershipConflict', pattern: /cannot be imported into the current release/, hint: ADOPT_HINT },
  { code: 'OwnershipConflict', pattern: /Apply failed with \d+ conflict/ },
  { code: 'ApiConflict', pattern: /has no deployed releases|Operation cannot be fulfilled on/ },
  { code: 'ApiConflict', pattern: /Precondition failed: UID in precondition/ },
  { code: 'ReleaseTooLarge', pattern: /failed to (create|update): (Secret .*Too long|Request entity too large)/ },
  { code: 'ReleaseTooLarge', pattern: /failed to (create|update): .*(request is too large|larger than max)/ },
  { code: 'NamespaceTerminating', pattern: /because it is being terminated|namespace .* is terminating/ },
  { code: 'DiskFull', pattern: /no space left on device/ },
  { code: 'WebhookNotAnswering', pattern: /failed calling webhook|conversion webhook for .* failed/ },
  { code: 'KubeconfigInvalid', pattern: /unreachable: (context ".*" does not exist|stat .*no such file)/ },
  { code: 'KubeconfigInvalid', pattern: /unreachable: (error loading config|invalid configuration)/ },
  { code: 'ApiUnauthorized', pattern: /asked for the client to provide credentials|: Unauthorized\b/ },
  { code: 'ApiThrottled', pattern: /[Tt]oo many requests|client rate limiter/ },
  { code: 'DeadlineExceeded', pattern: /not ready\. status: [\s\S]*context deadline exceeded/ },
  { code: 'DeadlineExceeded', pattern: /timed out waiting for the condition/ },
  { code: 'ApiTimeout', pattern: /context deadline exceeded|Client\.Timeout exceeded|i\/o timeout|handshake timeout/ },
  { code: 'ApiTimeout', pattern: /etcdserver: request timed out|request did not complete within/ },
  { code: 'KindNotServed', pattern: /no matches for kind|could not find the requested resource/ },
  { code: 'ImmutableField', pattern: /is immutable|Forbidden: updates to .* fields? other than/ },
  { code: 'ImmutableField', pattern: /may not change once set|cannot change roleRef|may not change fields other/ },
  { code: 'QuotaExceeded', pattern: /exceeded quota|status unknown for quota/, hint: QUOTA_HINT },
  { code: 'ApiInvalid', pattern: /denied (the )?request|violates PodSecurity/ },
  { code: 'ApiForbidden', pattern: /is forbidden: / },
  { code: 'ArtifactNotFound', pattern: /^path ".*" not found/ },
  { code: 'ChartInvalid', pattern: /not appear to be a gzipped archive|chart requires kubeVersion: / },
  { code: 'ChartInvalid', pattern: /missing in charts\/ directory|library charts are not installable/ },
  { code: 'InvalidConfiguration', pattern: /invalid release name/ },
  { code: 'RenderFailed', pattern: /template: |error calling \w+:|executing "[^"]*" at </ },
  { code: 'RenderFailed', pattern: /execution error at|parse error at|YAML parse error on|Object 'Kind' is missing/ },
  { code: 'ApiInvalid', pattern: / is invalid: |failed to create typed patch object/ },
  { code: 'ApiInvalid', pattern: / to proper version: |cannot be handled as a/ },
  { code: 'ApiAlreadyExists', pattern: /already exists/ },
  { code: 'ApiServerError', pattern: /Internal error occurred|unable to handle the request|etcdserver: / },
  { code: 'ApiServerError', pattern: /an error on the server \(|unable to retrieve the complete list/ },
  { code: 'ApiUnreachable', pattern: /connection refused|no such host|connection reset|no route to host/ },
  { code: 'ApiUnreachable', pattern: /network is unreachable|client connection lost|\bEOF\b|broken pipe|x509: / },
  { code: 'ApiUnreachable', pattern: /cluster unreachable/ },
  { code: 'ApiNotFound', pattern: /namespaces "[^"]*" not found/ },
];

const MAX_LENGTH = 600;
/** The API server shows what differs of an object that may not change, values and all. */
const QUOTED_DIFF = /\n@@ -\d[\s\S]*$/;

export interface FailureContext {
  /** `namespace/name` of the release. */
  readonly release: string;
  readonly values: unknown;
  readonly aborted: boolean;
  /** Names that stay readable though a value equals one. */
  readonly names: readonly string[];
  /** Paths of ours that mean nothing to a reader, and what to say instead. */
  readonly paths: Readonly<Record<string, string>>;
}

/** One clear line with a code, from how helm ended. */
export function failureOf(result: CommandResult, context: FailureContext): KubepkgError {
  if (context.aborted || result.exitCode === undefined) {
    return new KubepkgError('HelmKilled', `helm was stopped before it was done with release ${context.release}`);
  }
  const said = errorText(result.stderr);
  const text = said === '' ? `helm ended with code ${String(result.exitCode)} and said nothing` : said;
  const found = patternOf(text);
  const message = `release ${context.release}: ${oneLine(text, context)}`;
  return new KubepkgError(found?.code ?? 'HelmFailed', message, found?.hint === undefined ? {} : { hint: found.hint });
}

/** What a text of helm's means, wherever it was found; undefined: it is not among those that are known. */
export function codeOfText(text: string): ErrorCode | undefined {
  return patternOf(text)?.code;
}

/** Text of a failed record as one line without values. */
export function oneLine(text: string, context: Pick<FailureContext, 'values' | 'names' | 'paths'>): string {
  const readable = Object.entries(context.paths).reduce((rest, [path, name]) => rest.replaceAll(path, name), text);
  const line = redact(dropQuotedValues(readable.replace(QUOTED_DIFF, '')), context.values, context.names)
    .split('\n')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
  return line.length > MAX_LENGTH ? `${line.slice(0, MAX_LENGTH - 1)}…` : line;
}

function patternOf(text: string): ErrorPattern | undefined {
  return ERROR_PATTERNS.find(({ pattern }) => pattern.test(text));
}

/** What follows `Error:`, without helm's own headline and without its log lines. */
function errorText(stderr: string): string {
  const start = stderr.search(/^Error: /m);
  const text = stderr
    .slice(Math.max(0, start))
    .replace(/^Error: /, '')
    .replace(/^(INSTALLATION|UPGRADE) FAILED: /, '')
    .replace(/^cluster reachability check failed: /, '')
    .replace(/^release name check failed: /, '');
  return withoutHeadline(text).trim();
}

/** What of a text is the same for an installation and an upgrade. */
export function withoutHeadline(text: string): string {
  return text.replace(/^failed to create resource: /, '').replace(/\d+ errors? occurred:\n\s*\* /, '');
}
