import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type HelmReleaseShape, helmRelease } from '../../../test/build/flux-release.ts';
import { TARGET } from '../../../test/build/helm-release.ts';
import type { ErrorCode } from '../../api/errors.ts';
import { asArray, asString, at } from '../../lib/json.ts';
import { factsOf } from './facts.ts';
import { failureOf } from './failure.ts';

function failure(message: string, shape: HelmReleaseShape = {}, known: unknown = {}): ReturnType<typeof failureOf> {
  const released = ['False', 'UpgradeFailed', 2] as const;
  return failureOf(factsOf(helmRelease({ released, ready: released, message, ...shape })), TARGET, { known });
}

/** The messages of `Released` in a trace. */
function messagesIn(trace: string): readonly string[] {
  const file = new URL(`../../../test/fixtures/flux-traces/${trace}.json`, import.meta.url);
  const { events } = JSON.parse(readFileSync(file, 'utf8')) as { readonly events: readonly unknown[] };
  const conditions = events.flatMap((event) => asArray(at(event, 'status', 'conditions')));
  const failed = conditions.filter((each) => at(each, 'type') === 'Released' && at(each, 'status') === 'False');
  return [...new Set(failed.map((each) => asString(at(each, 'message')) ?? ''))];
}

describe('why an attempt failed', () => {
  it.each<[string, ErrorCode]>([
    ['04-install-stuck', 'DeadlineExceeded'],
    ['06-upgrade-stuck', 'DeadlineExceeded'],
    ['08-render-error', 'RenderFailed'],
    ['09-schema-error', 'ValuesInvalid'],
    ['22-job-fails', 'ComponentFailed'],
    ['27-pods-die-later', 'DeadlineExceeded'],
    ['34-same-values-again', 'DeadlineExceeded'],
  ])('%s: %s', (trace, code) => {
    const messages = messagesIn(trace);
    expect(messages).not.toEqual([]);
    for (const message of messages) expect(failure(message).code).toBe(code);
  });

  it.each<[string, ErrorCode]>([
    ["failed post-install: timeout waiting for: [Job/a/b status: 'InProgress']", 'DeadlineExceeded'],
    [
      'Unable to continue with install: ConfigMap "web" in namespace "a" exists and cannot be imported into the current release: invalid ownership metadata',
      'OwnershipConflict',
    ],
    ['failed to create resource: pods "x" is forbidden: exceeded quota: q', 'QuotaExceeded'],
    [
      'cannot patch "web" with kind Deployment: Deployment.apps "web" is invalid: spec.selector: field is immutable',
      'ImmutableField',
    ],
    ['failed calling webhook "x.example.org": context deadline exceeded', 'WebhookNotAnswering'],
    ['something that nobody has seen before', 'HelmFailed'],
  ])('%s is %s', (text, code) => {
    expect(failure(`Helm upgrade failed for release a/web with chart web@1.0.0: ${text}`).code).toBe(code);
  });

  it('names the release, without the headline of Flux', () => {
    const { message } = failure(
      'Helm upgrade failed for release shop-ns/web with chart web@1.0.0+a1: no\n  such   thing',
    );
    expect(message).toBe('release shop-ns/web: no such   thing');
  });

  it.each<[string, ErrorCode]>([
    ['InvalidCELExpression', 'InvalidConfiguration'],
    ['AccessDenied', 'ApiForbidden'],
    ['RetriesExceeded', 'RenderFailed'],
  ])('a stall for %s is %s', (stalled, code) => {
    expect(failure('execution error at (web/templates/a.yaml:1:2): no', { stalled }).code).toBe(code);
  });

  it('I10 hides the values, and says only what kind of failure it was where they are not known', () => {
    const text = 'execution error at (web/templates/a.yaml:1:2): password hunter2-is-secret is weak';
    expect(failure(text, {}, { password: 'hunter2-is-secret' }).message).toContain('password (hidden) is weak');
    const released = ['False', 'UpgradeFailed', 2] as const;
    const blind = failureOf(factsOf(helmRelease({ released, message: text })), TARGET, undefined);
    expect(blind.code).toBe('RenderFailed');
    expect(blind.message).toContain('UpgradeFailed');
    expect(blind.message).not.toContain('hunter2');
  });
});
