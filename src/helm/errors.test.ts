import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../api/errors.ts';
import { ERROR_PATTERNS, failureOf, oneLine } from './errors.ts';

interface Output {
  readonly exitCode: number;
  readonly stderr: string;
}

/** What helm really said, collected on a real API server. */
function outputs(version: string): Readonly<Record<string, Output>> {
  const file = new URL(`../../test/fixtures/helm-output/${version}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, Output>>;
}

const EXPECTED: Readonly<Record<string, ErrorCode>> = {
  'immutable-selector': 'ImmutableField',
  'immutable-job': 'ImmutableField',
  'immutable-configmap': 'ImmutableField',
  'immutable-secret-type': 'ImmutableField',
  'immutable-pvc': 'ImmutableField',
  'immutable-pod': 'ImmutableField',
  'immutable-service': 'ImmutableField',
  'immutable-statefulset': 'ImmutableField',
  'immutable-roleref': 'ImmutableField',
  'immutable-storageclass': 'ImmutableField',
  'schema-violation': 'ValuesInvalid',
  'schema-remote': 'ValuesInvalid',
  'schema-broken': 'ValuesInvalid',
  'render-nil': 'RenderFailed',
  'render-fail': 'RenderFailed',
  'render-required': 'RenderFailed',
  'render-parse': 'RenderFailed',
  'render-function': 'RenderFailed',
  'render-include': 'RenderFailed',
  'yaml-parse': 'RenderFailed',
  'no-kind': 'RenderFailed',
  'ownership-none': 'OwnershipConflict',
  'ownership-other': 'OwnershipConflict',
  'ownership-upgrade': 'OwnershipConflict',
  'name-in-use': 'OwnershipConflict',
  'ssa-conflict': 'OwnershipConflict',
  'install-over-pending': 'OwnershipConflict',
  'upgrade-absent': 'ApiConflict',
  'upgrade-kind-gone': 'ApiConflict',
  'namespace-missing': 'ApiNotFound',
  'object-namespace-missing': 'ApiNotFound',
  'object-namespace-missing-upgrade': 'ApiNotFound',
  'no-matches': 'KindNotServed',
  'upgrade-no-matches': 'KindNotServed',
  'namespace-terminating': 'NamespaceTerminating',
  'object-namespace-terminating': 'NamespaceTerminating',
  'webhook-authority': 'WebhookNotAnswering',
  'webhook-hangs': 'WebhookNotAnswering',
  'webhook-not-found': 'WebhookNotAnswering',
  'webhook-nonsense': 'WebhookNotAnswering',
  'webhook-refused': 'WebhookNotAnswering',
  'webhook-no-service': 'WebhookNotAnswering',
  'policy-denied': 'ApiInvalid',
  quota: 'QuotaExceeded',
  'quota-object': 'QuotaExceeded',
  'api-refused': 'ApiUnreachable',
  'api-refused-upgrade': 'ApiUnreachable',
  'api-dns': 'ApiUnreachable',
  unauthorized: 'ApiUnauthorized',
  forbidden: 'ApiForbidden',
  'forbidden-object': 'ApiForbidden',
  'kubeconfig-context': 'KubeconfigInvalid',
  'kubeconfig-missing': 'KubeconfigInvalid',
  'invalid-object': 'ApiInvalid',
  'invalid-name': 'ApiInvalid',
  'invalid-name-upgrade': 'ApiInvalid',
  'unknown-field': 'ApiInvalid',
  'wrong-type': 'ApiInvalid',
  'secret-base64': 'ApiInvalid',
  'hook-invalid': 'ApiInvalid',
  'object-too-large': 'ApiInvalid',
  'release-name': 'InvalidConfiguration',
  'too-large': 'ReleaseTooLarge',
  'too-large-request': 'ReleaseTooLarge',
  'hook-timeout': 'DeadlineExceeded',
  'post-hook-timeout': 'DeadlineExceeded',
  'wait-timeout': 'DeadlineExceeded',
  'hook-failed': 'HelmFailed',
  'sigterm-install': 'HelmKilled',
  'sigterm-upgrade': 'HelmKilled',
  pending: 'ReleaseLocked',
  'chart-missing': 'ArtifactNotFound',
  'chart-corrupt': 'ChartInvalid',
  'kube-version': 'ChartInvalid',
  'dependencies-missing': 'ChartInvalid',
  'library-chart': 'ChartInvalid',
  'values-bad': 'HelmFailed',
  'values-array': 'HelmFailed',
  'uninstall-absent': 'HelmFailed',
  'force-with-csa': 'HelmFailed',
};

/** Helm 3 names the cause of fewer things. */
const EXPECTED_OF_3: Readonly<Record<string, ErrorCode>> = { 'wait-timeout': 'ApiTimeout' };

const CONTEXT = {
  release: 'shop/web',
  values: { db: { password: 'hunter2-secret' } },
  aborted: false,
  names: ['web'],
  paths: { '/charts/': '' },
};

function failure(stderr: string, values: unknown = CONTEXT.values): ReturnType<typeof failureOf> {
  return failureOf({ exitCode: 1, stdout: '', stderr }, { ...CONTEXT, values });
}

describe.each(['4.1.4', '3.17.2'])('R11 what helm %s says is classed', (version) => {
  const collected = Object.entries(outputs(version)).map(([name, output]) => ({ name, ...output }));

  it.each(collected)('$name', ({ name, exitCode, stderr }) => {
    const error = failureOf({ exitCode, stdout: '', stderr }, CONTEXT);
    const expected = version.startsWith('3') ? { ...EXPECTED, ...EXPECTED_OF_3 } : EXPECTED;
    expect(error.code).toBe(expected[name]);
    expect(error.message).toMatch(/^release shop\/web: [^\n]{1,600}$/);
    expect(error.message).not.toMatch(/level=|FAILED:|hunter2|\/charts\/|"Containers"/);
  });
});

describe('texts that need a cluster in trouble', () => {
  it.each<[ErrorCode, string]>([
    ['ApiTimeout', 'Get "https://10.0.0.1/api": net/http: TLS handshake timeout'],
    ['ApiTimeout', 'Get "https://10.0.0.1/api": dial tcp 10.0.0.1:443: i/o timeout'],
    ['ApiTimeout', 'client rate limiting: context deadline exceeded'],
    ['ApiTimeout', 'etcdserver: request timed out'],
    ['ApiThrottled', 'the server has received too many requests and has asked us to try again later'],
    ['ApiServerError', 'the server is currently unable to handle the request (get deployments.apps)'],
    ['ApiServerError', 'Internal error occurred: etcdserver: leader changed'],
    ['ApiUnreachable', 'Post "https://10.0.0.1/api": read: connection reset by peer'],
    ['ApiUnreachable', 'Get "https://10.0.0.1/version": EOF'],
    ['ApiUnreachable', 'tls: failed to verify certificate: x509: certificate signed by unknown authority'],
    ['ApiConflict', 'Operation cannot be fulfilled on secrets "x": the object has been modified'],
    ['ReleaseLocked', 'release: already exists'],
    ['ReleaseTooLarge', 'create: failed to create: etcdserver: request is too large'],
    ['DiskFull', 'write /tmp/x: no space left on device'],
    ['ApiInvalid', 'admission webhook "policy.example.com" denied the request: no'],
    ['ApiInvalid', 'pods "x" is forbidden: violates PodSecurity "restricted:latest"'],
    ['ImmutableField', 'Service "x" is invalid: spec.clusterIPs[0]: Invalid value: "None": may not change once set'],
    [
      'ImmutableField',
      'StatefulSet.apps "x" is invalid: spec: Forbidden: updates to statefulset spec for fields other than',
    ],
    ['WebhookNotAnswering', 'failed calling webhook "x": Post "https://x": context deadline exceeded'],
    [
      'WebhookNotAnswering',
      'Internal error occurred: failed calling webhook "x": Post "https://x": no endpoints available for service "x"',
    ],
    [
      'WebhookNotAnswering',
      'conversion webhook for example.com/v1, Kind=Gadget failed: Post "https://x": dial tcp: connection refused',
    ],
    ['ApiServerError', 'etcdserver: no leader'],
    ['ApiThrottled', 'etcdserver: too many requests'],
    [
      'ApiConflict',
      'StorageError: Code: 4, Key: /x, Precondition failed: UID in precondition: a, UID in object meta: b',
    ],
    ['QuotaExceeded', 'configmaps "x" is forbidden: status unknown for quota: q, resources: count/configmaps'],
    ['ApiAlreadyExists', 'configmaps "x" already exists'],
  ])('%s: %s', (code, text) => {
    expect(failure(`Error: UPGRADE FAILED: ${text}\n`).code).toBe(code);
  });

  it('no pattern is without an example', () => {
    const seen = new Set(
      ['4.1.4', '3.17.2'].flatMap((version) =>
        Object.values(outputs(version)).map((o) => failureOf({ ...o, stdout: '' }, CONTEXT).code),
      ),
    );
    const codes = new Set(ERROR_PATTERNS.map(({ code }) => code));
    const elsewhere: ErrorCode[] = ['ApiTimeout', 'ApiThrottled', 'ApiServerError', 'DiskFull', 'ApiAlreadyExists'];
    expect([...codes].filter((code) => !seen.has(code) && !elsewhere.includes(code))).toEqual([]);
  });
});

describe('a failure', () => {
  it('of a helm that was stopped says so, whatever helm said', () => {
    const result = { exitCode: 1, stdout: '', stderr: 'Error: UPGRADE FAILED: boom' };
    expect(failureOf(result, { ...CONTEXT, aborted: true }).code).toBe('HelmKilled');
    expect(failureOf({ signal: 'SIGKILL', stdout: '', stderr: '' }, CONTEXT).code).toBe('HelmKilled');
  });

  it('without a word names the exit code', () => {
    expect(failure('').message).toBe('release shop/web: helm ended with code 1 and said nothing');
  });

  it('is one line, without what helm logged', () => {
    const stderr =
      'level=WARN msg="a"\nW0101 warnings.go:70] unknown field\nError: UPGRADE FAILED: one\n  two\n\tthree\n';
    expect(failure(stderr).message).toBe('release shop/web: one two three');
  });

  it('I10 hides values, also in the form that a Secret has them and inside longer texts', () => {
    const encoded = Buffer.from('hunter2-secret').toString('base64');
    const { message } = failure(`Error: bad "postgres://u:hunter2-secret@h" or ${encoded}`);
    expect(message).toBe('release shop/web: bad "postgres://u:(hidden)@h" or (hidden)');
  });

  it.each<[string, unknown, string, string]>([
    ['a short string', 'pa55w', '"short":"pa55w"', '"short":"(hidden)"'],
    ['a short string of a map as Go prints it', 'pa55w', 'map[short:pa55w]', 'map[short:(hidden)]'],
    ['a short string in a URL', 'p.5$', 'postgres://u:p.5$@h', 'postgres://u:(hidden)@h'],
    ['a short string only as a whole', 'port', 'transport imports port', 'transport imports (hidden)'],
    ['a number as JSON has it', 918273645, '{"pin":918273645}', '{"pin":(hidden)}'],
    ['a number as Go prints it', 918273645, 'pin: 9.18273645e+08', 'pin: (hidden)'],
    ['a number as a schema error has it', 918273645, 'got 9.18273645×10⁰⁸', 'got (hidden)'],
    ['a number in groups', 918273, 'got 918,273', 'got (hidden)'],
    ['a round number', 4000000, 'pin: 4e+06', 'pin: (hidden)'],
    ['a number below one', 0.0000123456, '1.23456e-05 or 1.23456×10⁻⁰⁵', '(hidden) or (hidden)'],
    ['a negative number', -918273645, 'pin: -9.18273645e+08', 'pin: -(hidden)'],
    ['a number in another form of its exponent', 918273645, '9.18273645E8', '(hidden)E8'],
    ['neither small numbers nor booleans', [8080, true, 'true', 'abc'], '8080 true abc', '8080 true abc'],
    ['no key where it is one', { size: 'size' }, '{"size":"size"} at .size', '{"size":"(hidden)"} at .size'],
    ['what is in another value first', ['admin', 'admin-secret'], 'admin-secret admin', '(hidden) (hidden)'],
    ['nothing of what it put there', ['hidden', 'topsecret'], 'topsecret hidden', '(hidden) (hidden)'],
  ])('I10 hides %s', (_, value, text, expected) => {
    expect(oneLine(text, { values: { value }, names: [], paths: {} })).toBe(expected);
  });

  it('I10 hides what a schema quotes, though the value is short', () => {
    const stderr = outputs('4.1.4')['schema-violation']?.stderr ?? '';
    const { message } = failure(stderr, { pw: 'x' });
    expect(message).toContain("at '/pw': the value does not match pattern");
  });

  it('I10 hides the objects that the API server quotes', () => {
    const stderr = outputs('4.1.4')['immutable-job']?.stderr ?? '';
    expect(failure(stderr).message).toBe(
      'release shop/web: Job.batch "job" is invalid: spec.template: Invalid value: field is immutable',
    );
  });

  it.each([
    ['F10', 'object-namespace-missing', 'ApiNotFound', 'namespaces "other-team" not found'],
    ['F61', 'object-namespace-terminating', 'NamespaceTerminating', 'namespace shopt'],
    ['F27', 'webhook-authority', 'WebhookNotAnswering', 'webhook "hook.example.com"'],
    ['F27', 'webhook-hangs', 'WebhookNotAnswering', 'webhook "hook.example.com"'],
    ['F30', 'no-matches', 'KindNotServed', 'kind "Thing" in version "nope.example.com/v1"'],
    ['R11', 'quota-object', 'QuotaExceeded', 'quota: small'],
  ])('%s that can go away is transient and named: %s', (_, name, code, named) => {
    const error = failure(outputs('4.1.4')[name]?.stderr ?? '');
    expect(error).toMatchObject({ code, class: 'transient' });
    expect(error.message).toContain(named);
  });

  it.each(['immutable-pod', 'immutable-pvc'])('I10 shows nothing of what differs in an object: %s', (name) => {
    const { message } = failure(outputs('4.1.4')[name]?.stderr ?? '');
    expect(message).not.toMatch(/@@|right|"a"|StorageClassName/);
  });

  it('keeps names readable that are values, too', () => {
    const context = { values: { host: 'web-frontend', other: 'billing' }, names: ['web-frontend'], paths: {} };
    expect(oneLine('web-frontend and billing', context)).toBe('web-frontend and (hidden)');
  });
});
