import type { Mutant } from '../mutant.ts';

const job = 'src/domain/readiness/job.ts';
const jobTest = 'src/domain/readiness/job.test.ts';
const deployment = 'src/domain/readiness/deployment.ts';
const deploymentTest = 'src/domain/readiness/deployment.test.ts';
const statefulSet = 'src/domain/readiness/stateful-set.ts';
const statefulSetTest = 'src/domain/readiness/stateful-set.test.ts';
const daemonSet = 'src/domain/readiness/daemon-set.ts';
const daemonSetTest = 'src/domain/readiness/daemon-set.test.ts';
const persistentVolumeClaim = 'src/domain/readiness/persistent-volume-claim.ts';
const persistentVolumeClaimTest = 'src/domain/readiness/persistent-volume-claim.test.ts';
const customResourceDefinitionTest = 'src/domain/readiness/custom-resource-definition.test.ts';
const webhookConfiguration = 'src/domain/readiness/webhook-configuration.ts';
const webhookConfigurationTest = 'src/domain/readiness/webhook-configuration.test.ts';

/** Faults in how the kinds of Kubernetes are judged. */
export const READINESS_KINDS: readonly Mutant[] = [
  {
    id: 'rule-2-suspended-job-runs',
    promise: 'P6',
    file: job,
    search: "if (at(object, 'spec', 'suspend') === true)",
    replace: "if (at(object, 'spec', 'suspend') === false)",
    killedBy: { file: jobTest, test: 'a Job that is suspended waits, and says so' },
  },
  {
    id: 'rule-2-failed-job-passes',
    promise: 'P6',
    file: job,
    search: 'if (failure !== undefined) {',
    replace: 'if (failure === null) {',
    killedBy: { file: jobTest, test: 'a Job F47 that failed is failed at once: backoffLimit 0, restartPolicy Never' },
  },
  {
    id: 'rule-2-failed-job-gets-a-grace-period',
    promise: 'P6',
    file: job,
    search: ', failureText(failure)), final: true };',
    replace: ', failureText(failure)) };',
    killedBy: { file: jobTest, test: 'a Job F47 that failed is failed at once: backoffLimit 0, restartPolicy Never' },
  },
  {
    id: 'rule-2-former-job-stands-for-this-one',
    promise: 'I11',
    file: 'src/engine/health.ts',
    search: '(change === undefined || isMadeBy(last, change) || witness.hasSeen(last))',
    replace: 'change !== null',
    killedBy: {
      file: 'src/engine/vanishing-jobs.test.ts',
      test: 'F49 the book of releases: a Job that removes itself of the run before does not stand for the one of this delivery',
    },
  },
  {
    id: 'rule-3-old-replicas-may-stay',
    promise: 'P6',
    file: deployment,
    search: 'if (counts.total > counts.wanted) {',
    replace: 'if (counts.total > 99) {',
    killedBy: { file: deploymentTest, test: 'a Deployment with an old replica left is' },
  },
  {
    id: 'rule-3-available-is-enough',
    promise: 'P6',
    file: deployment,
    search: 'const usable = Math.min(counts.available, counts.ready);',
    replace: 'const usable = Math.max(counts.available, counts.ready);',
    killedBy: { file: deploymentTest, test: 'a Deployment with two of three available is' },
  },
  {
    id: 'rule-3-scaled-to-zero-with-pods',
    promise: 'P6',
    file: deployment,
    search: 'if (left > 0) return',
    replace: 'if (left > 99) return',
    killedBy: {
      file: deploymentTest,
      test: 'a Deployment F38 with replicas 0 is ready once observed and without pods: pods still there',
    },
  },
  {
    id: 'rule-3-paused-waits',
    promise: 'P6',
    file: deployment,
    search: "if (at(object, 'spec', 'paused') === true) return paused(counts);",
    replace: '',
    killedBy: { file: deploymentTest, test: 'a Deployment F37 that is paused is ready, and a note says so: settled' },
  },
  {
    id: 'rule-4-partition-is-ignored',
    promise: 'P6',
    file: statefulSet,
    search: 'const needed = Math.max(0, wanted - partition);',
    replace: 'const needed = wanted;',
    killedBy: { file: statefulSetTest, test: 'a StatefulSet names the current counts: 1 of 2 replicas updated' },
  },
  {
    id: 'rule-4-on-delete-waits-for-replacement',
    promise: 'P6',
    file: statefulSet,
    search: "if (textOf(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') return ready(message);",
    replace: '',
    killedBy: {
      file: statefulSetTest,
      test: 'a StatefulSet with OnDelete waits for ready pods and for no replacement: none replaced',
    },
  },
  {
    id: 'rule-4-zero-before-the-controller-is-ready',
    promise: 'P6',
    file: daemonSet,
    search: 'alwaysObserved: true',
    replace: 'alwaysObserved: false',
    killedBy: {
      file: daemonSetTest,
      test: 'a DaemonSet F42 is not ready before its controller wrote the status: no status at all',
    },
  },
  {
    id: 'rule-4-nodes-are-not-named',
    promise: 'P6',
    file: daemonSet,
    search: 'message: `${missing.message}; ${named}`',
    replace: 'message: missing.message',
    killedBy: { file: daemonSetTest, test: 'a DaemonSet F42 names the nodes that are not ready' },
  },
  {
    id: 'rule-5-failed-pod-waits',
    promise: 'P6',
    file: 'src/domain/readiness/pod.ts',
    search: "case 'Failed':\n",
    replace: "case 'Failed!':\n",
    killedBy: {
      file: 'src/domain/readiness/pod.test.ts',
      test: 'a Pod of its own F95 that exited with an error is failed',
    },
  },
  {
    id: 'rule-5-first-consumer-blocks',
    promise: 'P6',
    file: persistentVolumeClaim,
    search: 'return ready(note, note);',
    replace: "return progressing('WaitForFirstConsumer', note);",
    killedBy: {
      file: persistentVolumeClaimTest,
      test: 'a PersistentVolumeClaim F43 that waits for its first consumer does not block when the release has nothing',
    },
  },
  {
    id: 'rule-5-consumer-of-the-release-is-not-awaited',
    promise: 'P6',
    file: persistentVolumeClaim,
    search: 'if (consumer !== undefined)',
    replace: 'if (consumer === null)',
    killedBy: {
      file: persistentVolumeClaimTest,
      test: 'a PersistentVolumeClaim F43 is waited for when the release has a consumer: a Deployment',
    },
  },
  {
    id: 'rule-5-address-is-not-awaited',
    promise: 'P6',
    file: 'src/domain/readiness/service.ts',
    search: "if (context.options.loadBalancer === 'Address')",
    replace: "if (context.options.loadBalancer === 'ClusterIP')",
    killedBy: {
      file: 'src/domain/readiness/service.test.ts',
      test: 'a Service F44 of type LoadBalancer with cluster IP only, which is enough',
    },
  },
  {
    id: 'rule-6-established-is-enough',
    promise: 'P6',
    file: 'src/domain/readiness/custom-resource-definition.ts',
    search: "if (missing !== undefined) return progressing('NotServed'",
    replace: "if (missing === null) return progressing('NotServed'",
    killedBy: {
      file: customResourceDefinitionTest,
      test: 'a CustomResourceDefinition F30 is ready when established and served by discovery: not served yet',
    },
  },
  {
    id: 'rule-6-endpoint-is-not-awaited',
    promise: 'P6',
    file: webhookConfiguration,
    search: 'if (slices.some(hasReadyEndpoint)) return undefined;',
    replace: 'return undefined;',
    killedBy: {
      file: webhookConfigurationTest,
      test: 'a ValidatingWebhookConfiguration F27 whose service in the release has no endpoint',
    },
  },
  {
    id: 'rule-6-ca-bundle-is-not-awaited',
    promise: 'P6',
    file: webhookConfiguration,
    search: 'if (!webhook.hasCABundle) return',
    replace: "if (webhook.name === '') return",
    killedBy: {
      file: webhookConfigurationTest,
      test: 'a ValidatingWebhookConfiguration F27 without a caBundle is not ready, and names the webhook',
    },
  },
  {
    id: 'rule-6-unavailable-api-service',
    promise: 'P6',
    file: 'src/domain/readiness/api-service.ts',
    search: "if (conditionHolds(object, 'Available')) return ready('available');",
    replace: "return ready('available');",
    killedBy: { file: customResourceDefinitionTest, test: 'an APIService F29 that is Available False is progressing' },
  },
  {
    id: 'rule-7-abnormal-conditions-are-ignored',
    promise: 'P6',
    file: 'src/domain/readiness/assess.ts',
    search: 'abnormal(object) ??\n',
    replace: '',
    killedBy: {
      file: 'src/domain/readiness/assess.test.ts',
      test: 'an object of any kind with Reconciling True is judged by it first',
    },
  },
  {
    id: 'readiness-pod-is-kept-by-an-old-status',
    promise: 'P10',
    file: 'src/domain/readiness/stateful-set.ts',
    search: "if (countOf(object, ['status', 'observedGeneration'], -1) !== object.metadata.generation) return false;",
    replace: '',
    killedBy: {
      file: 'src/domain/readiness/stateful-set.test.ts',
      test: 'keeps no pod of which its status cannot know yet',
    },
  },
];
