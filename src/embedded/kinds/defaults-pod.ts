import { at, isRecord } from '../../lib/json.ts';
import { absent, type Draft, type SetDefaults } from './absent.ts';
import { pullPolicyOf } from './image.ts';

const CORE = 'io.k8s.api.core.v1.';

export const POD_DEFAULTS: Readonly<Record<string, SetDefaults>> = {
  [`${CORE}Pod`]: defaultPod,
  [`${CORE}PodSpec`]: (draft) => {
    absent({
      dnsPolicy: 'ClusterFirst',
      restartPolicy: 'Always',
      securityContext: {},
      terminationGracePeriodSeconds: 30,
      schedulerName: 'default-scheduler',
    })(draft);
    defaultAccount(draft);
  },
  [`${CORE}Container`]: defaultContainer,
  [`${CORE}EphemeralContainer`]: defaultContainer,
  [`${CORE}Probe`]: absent({ timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 }),
  [`${CORE}HTTPGetAction`]: absent({ path: '/', scheme: 'HTTP' }),
  [`${CORE}GRPCAction`]: absent({ service: '' }),
  [`${CORE}ObjectFieldSelector`]: absent({ apiVersion: 'v1' }),
  [`${CORE}Volume`]: (draft) => {
    if (Object.keys(draft).every((key) => key === 'name')) draft['emptyDir'] = {};
  },
  [`${CORE}ImageVolumeSource`]: (draft) => {
    absent({ pullPolicy: pullPolicyOf(draft['reference']) })(draft);
  },
  [`${CORE}SecretVolumeSource`]: absent({ defaultMode: 0o644 }),
  [`${CORE}ConfigMapVolumeSource`]: absent({ defaultMode: 0o644 }),
  [`${CORE}DownwardAPIVolumeSource`]: absent({ defaultMode: 0o644 }),
  [`${CORE}ProjectedVolumeSource`]: absent({ defaultMode: 0o644 }),
  [`${CORE}HostPathVolumeSource`]: absent({ type: '' }),
  [`${CORE}ServiceAccountTokenProjection`]: absent({ expirationSeconds: 3600 }),
};

function defaultContainer(draft: Draft): void {
  absent({
    imagePullPolicy: pullPolicyOf(draft['image']),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  })(draft);
}

/** The field has two names, and the older one is still written. */
function defaultAccount(draft: Draft): void {
  const name = draft['serviceAccountName'] ?? draft['serviceAccount'];
  if (name === undefined) return;
  draft['serviceAccountName'] = name;
  draft['serviceAccount'] = name;
}

/** What only pods get, and templates of pods do not. */
function defaultPod(draft: Draft): void {
  const { spec } = draft;
  if (!isRecord(spec)) return;
  const isOnHost = spec['hostNetwork'] === true;
  const filled: Draft = { ...spec, enableServiceLinks: spec['enableServiceLinks'] ?? true };
  for (const list of ['containers', 'initContainers']) {
    const containers = spec[list];
    if (Array.isArray(containers))
      filled[list] = containers.map((container: unknown) => filledContainer(container, isOnHost));
  }
  draft['spec'] = filled;
}

function filledContainer(container: unknown, isOnHost: boolean): unknown {
  if (!isRecord(container)) return container;
  const { resources, ports } = container;
  const limits = at(resources, 'limits');
  const requests = at(resources, 'requests');
  return {
    ...container,
    ...(isRecord(resources) && isRecord(limits)
      ? { resources: { ...resources, requests: { ...limits, ...(isRecord(requests) ? requests : {}) } } }
      : {}),
    ...(isOnHost && Array.isArray(ports) ? { ports: ports.map(hostPort) } : {}),
  };
}

function hostPort(port: unknown): unknown {
  if (!isRecord(port) || (port['hostPort'] ?? 0) !== 0) return port;
  return { ...port, hostPort: port['containerPort'] };
}
