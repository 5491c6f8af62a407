import { at, isRecord } from '../../lib/json.ts';
import { absent, type Draft } from './absent.ts';

/** Where autoscaling/v1 keeps what it has no fields for. */
export const METRICS_ANNOTATION = 'autoscaling.alpha.kubernetes.io/metrics';

/** Of autoscaling/v2: 80 % of the CPU, and rules of scaling once there is a `behavior`. */
export function defaultScaling(draft: Draft): void {
  absent({ minReplicas: 1, metrics: [CPU] })(draft);
  const { behavior } = draft;
  if (!isRecord(behavior)) return;
  draft['behavior'] = {
    ...behavior,
    scaleUp: { ...SCALE_UP, ...withoutNulls(at(behavior, 'scaleUp')) },
    scaleDown: { ...SCALE_DOWN, ...withoutNulls(at(behavior, 'scaleDown')) },
  };
}

const CPU = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const SCALE_DOWN = { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] };

function withoutNulls(rules: unknown): Readonly<Record<string, unknown>> {
  return isRecord(rules) ? Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== null)) : {};
}
