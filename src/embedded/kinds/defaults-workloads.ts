import { at, isRecord } from '../../lib/json.ts';
import type { JsonMap } from '../model/object.ts';
import { absent, type Draft, type SetDefaults } from './absent.ts';
import { defaultScaling, METRICS_ANNOTATION } from './defaults-scaling.ts';

const APPS = 'io.k8s.api.apps.v1.';
const BATCH = 'io.k8s.api.batch.v1.';

export const WORKLOAD_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler': (draft) => {
    const { spec, metadata } = draft;
    const hasMetrics = at(metadata, 'annotations', METRICS_ANNOTATION) !== undefined;
    if (isRecord(spec) && !hasMetrics) {
      draft['spec'] = { ...spec, targetCPUUtilizationPercentage: spec['targetCPUUtilizationPercentage'] ?? 80 };
    }
  },
  'io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec': absent({ minReplicas: 1 }),
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': defaultScaling,

  [`${APPS}DeploymentSpec`]: absent({ replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 }),
  [`${APPS}DeploymentStrategy`]: rolling,
  [`${APPS}RollingUpdateDeployment`]: absent({ maxUnavailable: '25%', maxSurge: '25%' }),
  [`${APPS}DaemonSetSpec`]: absent({ revisionHistoryLimit: 10 }),
  [`${APPS}DaemonSetUpdateStrategy`]: rolling,
  [`${APPS}RollingUpdateDaemonSet`]: absent({ maxUnavailable: 1, maxSurge: 0 }),
  [`${APPS}ReplicaSetSpec`]: absent({ replicas: 1 }),
  [`${APPS}StatefulSetSpec`]: (draft) => {
    const templates = draft['volumeClaimTemplates'];
    if (Array.isArray(templates)) draft['volumeClaimTemplates'] = templates.map(claimTemplate);
    absent({
      podManagementPolicy: 'OrderedReady',
      persistentVolumeClaimRetentionPolicy: {},
      replicas: 1,
      revisionHistoryLimit: 10,
    })(draft);
  },
  [`${APPS}StatefulSetUpdateStrategy`]: (draft) => {
    if (draft['type'] === undefined) absent({ type: 'RollingUpdate', rollingUpdate: {} })(draft);
  },
  [`${APPS}RollingUpdateStatefulSetStrategy`]: absent({ partition: 0 }),
  [`${APPS}StatefulSetPersistentVolumeClaimRetentionPolicy`]: absent({ whenDeleted: 'Retain', whenScaled: 'Retain' }),

  [`${BATCH}Job`]: (draft) => {
    labelsOfTemplate(draft);
    if (isRecord(draft['spec'])) draft['spec'] = filledJob(draft['spec']);
  },
  [`${BATCH}CronJobSpec`]: absent({
    concurrencyPolicy: 'Allow',
    suspend: false,
    successfulJobsHistoryLimit: 3,
    failedJobsHistoryLimit: 1,
  }),
  [`${BATCH}PodFailurePolicyOnPodConditionsPattern`]: absent({ status: 'True' }),
  'io.k8s.api.core.v1.ReplicationController': labelsOfTemplate,
  'io.k8s.api.core.v1.ReplicationControllerSpec': (draft) => {
    absent({ selector: at(draft['template'], 'metadata', 'labels'), replicas: 1 })(draft);
  },
};

function rolling(draft: Draft): void {
  absent({ type: 'RollingUpdate' })(draft);
  if (draft['type'] === 'RollingUpdate') absent({ rollingUpdate: {} })(draft);
}

/** Jobs and ReplicationControllers without labels of their own get those of their pods. */
function labelsOfTemplate(draft: Draft): void {
  const labels = at(draft, 'spec', 'template', 'metadata', 'labels');
  const { metadata } = draft;
  const own = at(metadata, 'labels');
  if (!isRecord(labels) || Object.keys(labels).length === 0 || (isRecord(own) && Object.keys(own).length > 0)) return;
  draft['metadata'] = { ...(isRecord(metadata) ? metadata : {}), labels };
}

/** Jobs only; the templates of a CronJob stay as they are. */
function filledJob(given: JsonMap): JsonMap {
  const spec = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  absent({
    ...(spec['parallelism'] === undefined ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: spec['backoffLimitPerIndex'] === undefined ? 6 : 2_147_483_647,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: spec['podFailurePolicy'] === undefined ? 'TerminatingOrFailed' : 'Failed',
    manualSelector: false,
  })(spec);
  return spec;
}

function claimTemplate(template: unknown): unknown {
  return isRecord(template) ? { ...template, kind: 'PersistentVolumeClaim', apiVersion: 'v1' } : template;
}
