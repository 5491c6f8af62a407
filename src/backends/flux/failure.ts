import type { ErrorCode } from '../../api/errors.ts';
import { codeOfText, oneLine, withoutHeadline } from '../../helm/errors.ts';
import type { ReleaseTarget } from '../../ports/backend.ts';
import type { Facts, FluxCondition } from './facts.ts';

interface ErrorPattern {
  readonly code: ErrorCode;
  readonly pattern: RegExp;
}

/** What helm-controller says and helm does not; looked for before helm's own table. */
const FLUX_PATTERNS: readonly ErrorPattern[] = [
  { code: 'DeadlineExceeded', pattern: /timeout waiting for: \[/ },
  // What is left of a wait whose end meets a look at the objects.
  { code: 'DeadlineExceeded', pattern: /client rate limiter Wait returned an error: .* exceed context deadline/ },
  { code: 'ComponentFailed', pattern: /failed early due to stalled resources/ },
];

/** Reasons of a stall that say what is wrong themselves. */
const STALL_CODES: Readonly<Record<string, ErrorCode>> = {
  InvalidCELExpression: 'InvalidConfiguration',
  AccessDenied: 'ApiForbidden',
};

const PREFIX = /^Helm (?:install|upgrade) failed for release \S+ with chart \S+: /;

const NOTHING: FluxCondition = { status: 'Unknown', reason: 'failed', message: '', generation: undefined };

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
}

/**
 * Why the attempt failed, in one line. Flux's text may quote the values, which have to be known to be hidden: where
 * they are not (any more), only what kind of failure it was is said.
 */
export function failureOf(
  facts: Facts,
  target: ReleaseTarget,
  values: { readonly known: unknown } | undefined,
): Failure {
  const { reason, message } = causeOf(facts);
  const text = withoutHeadline(message.replace(PREFIX, ''));
  const { namespace, releaseName, component, package: pkg } = target;
  const release = `release ${namespace}/${releaseName}`;
  const code = STALL_CODES[reason] ?? codeOf(text);
  if (values === undefined) {
    return {
      code,
      message: `${release}: ${reason}, as helm-controller says; its words may quote values that are gone`,
    };
  }
  const names = [namespace, releaseName, component, pkg];
  return { code, message: `${release}: ${oneLine(text, { values: values.known, names, paths: {} })}` };
}

/** How the last action ended, unless it is stalled before any. */
export function causeOf({ stalled, released, ready }: Facts): FluxCondition {
  const isSelfSpoken = stalled !== undefined && stalled.reason in STALL_CODES;
  return (isSelfSpoken ? stalled : (released ?? ready ?? stalled)) ?? NOTHING;
}

function codeOf(text: string): ErrorCode {
  const found = FLUX_PATTERNS.find(({ pattern }) => pattern.test(text));
  return found?.code ?? codeOfText(text) ?? 'HelmFailed';
}
