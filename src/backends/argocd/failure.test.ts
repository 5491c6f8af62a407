import { describe, expect, it } from 'vitest';
import { annotated, atPhase, traceOf, withStatus, written } from '../../../test/build/argocd.ts';
import type { ErrorCode } from '../../api/errors.ts';
import type { KubeObject } from '../../api/kube.ts';
import { readApplication } from './application.ts';
import { explainFailure, sayOperation, saySpecErrors } from './failure.ts';
import { NOTE } from './notes.ts';

const LOAD =
  'ComparisonError: Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = ';
const PULL =
  'error pulling OCI chart: failed to pull OCI chart: failed to get command args to log: `helm pull oci://h/c --destination /tmp/1f` failed exit status 1: Error: failed to perform "FetchReference" on source: ';
const TEMPLATE =
  'failed to execute helm template command: failed to get command args to log: `helm template . --name-template web --values /tmp/7a` failed exit status 1: Error: ';

/** Real texts of Argo CD 3.2. */
const ROWS: readonly (readonly [ErrorCode, string])[] = [
  ['RegistryUnreachable', `${LOAD}${PULL}Get "https://h/v2/": dial tcp 10.0.0.1:443: connect: connection refused`],
  ['RegistryUnreachable', `${LOAD}dial tcp: lookup charts.example.com: no such host`],
  ['RegistryUnreachable', `${LOAD}${PULL}unexpected status code 503: Service Unavailable`],
  [
    'RegistryUnreachable',
    'ComparisonError: Failed to load target state: failed to generate manifest for source 1 of 1: rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 10.0.0.2:8081: connect: connection refused"',
  ],
  ['RegistryUnauthorized', `${LOAD}${PULL}unexpected status code 401: Unauthorized`],
  [
    'RegistryUnauthorized',
    `${LOAD}${PULL}response status code 403: denied: requested access to the resource is denied`,
  ],
  ['ArtifactNotFound', `${LOAD}${PULL}h/charts/x:9.9.9: not found`],
  [
    'ArtifactNotFound',
    `${LOAD}failed to resolve revision "sha256:0": cannot get digest for revision sha256:0: h/x@sha256:0: not found`,
  ],
  ['RenderFailed', `${LOAD}${TEMPLATE}execution error at (broken/templates/broken.yaml:2:3): switched off`],
  ['ValuesInvalid', `${LOAD}${TEMPLATE}values don't meet the specifications of the schema(s)`],
  [
    'ChartInvalid',
    `${LOAD}${TEMPLATE}chart requires kubeVersion: >=9.0.0 which is incompatible with Kubernetes v1.36.3`,
  ],
  [
    'ApiInvalid',
    'one or more objects failed to apply, reason: Service "x" is invalid: [spec.ports[0].port: Invalid value: 0]',
  ],
  ['ApiNotFound', 'one or more objects failed to apply, reason: namespaces "x" not found'],
  [
    'ApiForbidden',
    'one or more objects failed to apply, reason: roles.rbac is forbidden: User "system:serviceaccount:argocd:c" cannot create',
  ],
  [
    'WebhookNotAnswering',
    'one or more objects failed to apply, reason: Internal error occurred: failed calling webhook "a.example.com"',
  ],
  ['QuotaExceeded', 'one or more objects failed to apply, reason: pods "x" is forbidden: exceeded quota: q'],
  [
    'NamespaceTerminating',
    'one or more objects failed to apply, reason: unable to create new content in namespace a because it is being terminated',
  ],
  [
    'InvalidConfiguration',
    'Failed to load application project: error getting app project "absent": appproject.argoproj.io "absent" not found',
  ],
  ['InvalidConfiguration', "InvalidSpecError: application repo https://c is not permitted in project 'strict'"],
  [
    'InvalidConfiguration',
    'error getting cluster by server "https://x": rpc error: code = NotFound desc = cluster "https://x" not found',
  ],
  ['OwnershipConflict', 'Shared resource found: ConfigMap/y is part of applications argocd/y2 and y1'],
  ['DeadlineExceeded', 'Operation terminated, triggered by controller sync timeout'],
  ['Interrupted', 'Operation terminated'],
  ['ApiUnreachable', 'ComparisonError: Failed to load live state: failed to get cluster info for "https://x"'],
  ['ComponentFailed', 'one or more synchronization tasks completed unsuccessfully'],
];

function failedWith(message: string, resources: readonly unknown[] = []): KubeObject {
  return atPhase(written({ release: { values: { password: 'hunter2-is-secret' } } }), 'Failed', {
    message,
    syncResult: { resources },
  });
}

describe('why a sync failed', () => {
  it.each(ROWS)('%s: %s', (code, message) => {
    expect(explainFailure(readApplication(failedWith(message))).code).toBe(code);
  });

  it('F51 is told by the objects where the operation itself says little', () => {
    const text = 'one or more synchronization tasks are not valid';
    const missing = 'The Kubernetes API could not find a.example.com/Gadget for requested resource ns/web.';
    const result = { kind: 'Gadget', namespace: 'ns', name: 'web', status: 'SyncFailed', message: missing };
    const hook = { kind: 'Job', namespace: 'ns', name: 'migrate', hookPhase: 'Failed', message: 'Job has failed' };
    const fine = { kind: 'ConfigMap', namespace: 'ns', name: 'fine', status: 'Synced', message: 'created' };
    const { code, message } = explainFailure(readApplication(failedWith(text, [result, hook, fine])));
    expect(code).toBe('KindNotServed');
    expect(message).toContain(`Gadget ns/web: ${missing}; Job ns/migrate: Job has failed`);
    expect(message).not.toContain('fine');
  });

  it('says a cause once', () => {
    const cause = 'Service "x" is invalid: y';
    const result = { kind: 'Service', namespace: 'ns', name: 'x', status: 'SyncFailed', message: cause };
    const application = failedWith(`one or more objects failed to apply, reason: ${cause}`, [result]);
    expect(explainFailure(readApplication(application)).message.split(cause)).toHaveLength(2);
  });

  it('I10 has no value of the user in it', () => {
    const application = failedWith('one or more objects failed to apply, reason: x is invalid: "hunter2-is-secret"');
    expect(explainFailure(readApplication(application)).message).not.toContain('hunter2');
  });

  it('has neither files of Argo CD in it, nor whether it remembers the error', () => {
    const fresh = failedWith(`${LOAD}${TEMPLATE}boom`);
    const cached = failedWith(
      `${LOAD}Manifest generation error (cached): ${TEMPLATE.replace('/tmp/7a', '/tmp/99')}boom`,
    );
    const [one, other] = [fresh, cached].map((application) => explainFailure(readApplication(application)).message);
    expect(one).toBe(other);
    expect(one).not.toMatch(/\/tmp|--values|rpc error/);
  });

  it('is no failure of the chart when we ended it', () => {
    const application = annotated(failedWith('Operation terminated'), { [NOTE.stopped]: 'token-2' });
    expect(explainFailure(readApplication(application)).code).toBe('HelmKilled');
  });

  it.each(['broken', 'gone', 'immutable', 'hookfail'])('is one short line in the trace %s', (name) => {
    const last = traceOf(name).at(-1);
    const { message } = explainFailure(readApplication(last ?? written()));
    expect(message).not.toMatch(/\n|\/tmp|PodTemplateSpec/);
    expect(message.length).toBeLessThan(800);
  });
});

describe('what an operation is at', () => {
  it.each<[string, string, Readonly<Record<string, unknown>>, RegExp]>([
    ['is what it says', 'Running', { message: 'waiting for deletion of /ConfigMap/a' }, /waiting for deletion/],
    ['is that it runs, as long as it says nothing', 'Running', {}, /in progress/],
    ['is its end', 'Terminating', { message: 'operation is terminating' }, /being stopped/],
  ])('%s', (_, phase, state, text) => {
    expect(sayOperation(readApplication(atPhase(written(), phase, state)))).toMatch(text);
  });

  it('I10 is said without values', () => {
    const conditions = [{ type: 'InvalidSpecError', message: 'hunter2-is-secret is refused' }];
    const application = withStatus(written({ release: { values: { password: 'hunter2-is-secret' } } }), { conditions });
    expect(saySpecErrors(readApplication(application))).not.toContain('hunter2');
  });
});
