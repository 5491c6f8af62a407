import {
  type ChartFiles,
  configMapChart,
  definitionText,
  jobChart,
  migrateChart,
  podAnnotations,
  slowHookChart,
  vanishingJobChart,
} from '../operator/charts.ts';
import type { Step } from '../operator/fake-operator.ts';
import { DEMO_SAFE, DEMO_UNSAFE } from './demo.ts';
import { movedTo } from './recording.ts';
import { at, type Edition, edition, type Shape, VERSIONS } from './shape.ts';
import { KUBEVIRT, KUBEVIRT_STUCK, objectChart, operatorChart } from './virt.ts';

const [BEFORE, AFTER] = VERSIONS;

/** Pods that are made anew in each version. */
const app = operatorChart;

function inTemplate(chart: ChartFiles, path: string, from: string, to: string): ChartFiles {
  return { ...chart, [path]: (chart[path] ?? '').replace(from, to) };
}

/** A Job whose template is another one in each version. */
function job(version: string, chart: ChartFiles = jobChart()): ChartFiles {
  return inTemplate(chart, 'templates/job.yaml', 'example.org/job:1', `example.org/job:${version}`);
}

function behaving(chart: ChartFiles, path: string, behavior: Readonly<Record<string, string>>): ChartFiles {
  return inTemplate(chart, path, '{{ .Values.sim | toJson }}', JSON.stringify(podAnnotations(behavior)));
}

function statefulSetChart(version: string): ChartFiles {
  return {
    'templates/set.yaml': `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: {{ .Release.Name }}}
spec:
  serviceName: {{ .Release.Name }}
  replicas: 2
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      containers: [{name: store, image: "example.org/store:${version}", volumeMounts: [{name: data, mountPath: /data}]}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`,
  };
}

function daemonSetChart(version: string): ChartFiles {
  return {
    'templates/set.yaml': `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: {{ .Release.Name }}}
spec:
  selector: {matchLabels: {app: {{ .Release.Name }}}}
  template:
    metadata: {labels: {app: {{ .Release.Name }}}}
    spec:
      tolerations: [{operator: Exists}]
      containers: [{name: agent, image: "example.org/agent:${version}"}]
`,
  };
}

/** A Deployment with more in its spec. */
function deployment(version: string, more: string): ChartFiles {
  return inTemplate(app(version), 'templates/app.yaml', '  selector:', `  ${more}\n  selector:`);
}

const LOAD_BALANCER: ChartFiles = {
  'templates/service.yaml': `apiVersion: v1
kind: Service
metadata: {name: {{ .Release.Name }}}
spec: {type: LoadBalancer, selector: {app: nothing}, ports: [{port: 80}]}
`,
};

const CLAIM: ChartFiles = {
  'templates/claim.yaml': `apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: {{ .Release.Name }}}
spec: {accessModes: [ReadWriteOnce], storageClassName: nowhere, resources: {requests: {storage: 1Gi}}}
`,
};

type Build = (version: string, id: string) => Edition;

function both(build: Build): Shape['editions'] {
  return (id) => [build(BEFORE, id), build(AFTER, id)];
}

/** One more component comes with the upgrade. */
function arriving(chart: ChartFiles, install: Parameters<ReturnType<typeof at>>[1] = {}): Shape['editions'] {
  return (id) => {
    const own = at(id);
    const old = [own('app')];
    return [
      edition(BEFORE, { app: app(BEFORE) }, old),
      edition(AFTER, { app: app(AFTER), more: chart }, [...old, own('more', { dependsOn: ['app'], ...install })]),
    ];
  };
}

const SETTLING: readonly Step[] = [
  { afterMs: 500, conditions: { Ready: 'False' } },
  { afterMs: 1000, conditions: { Ready: 'True' } },
];

export const SHAPES: readonly Shape[] = [
  DEMO_SAFE,
  DEMO_UNSAFE,
  KUBEVIRT,
  KUBEVIRT_STUCK,
  {
    name: 'changing',
    cases: 'F63 P10: one component comes, one goes, and all of it is undone',
    editions: (id) => {
      const own = at(id);
      const first = [own('a'), own('b', { dependsOn: ['a'] })];
      return [
        edition(BEFORE, { a: app(BEFORE), b: app(BEFORE), old: app(BEFORE) }, [...first, own('old')]),
        edition(AFTER, { a: app(AFTER), b: app(AFTER), c: app(AFTER) }, [...first, own('c', { dependsOn: ['b'] })]),
      ];
    },
    failures: [
      ['a', 'never-ready'],
      ['b', 'crash'],
      ['c', 'never-ready'],
      ['b', 'render'],
    ],
  },
  {
    name: 'moving',
    cases: 'a component moves to another namespace',
    editions: (id) => {
      const charts = (version: string) => ({ app: app(version), next: app(version) });
      const next = at(id)('next', { dependsOn: ['app'] });
      return [
        edition(BEFORE, charts(BEFORE), [at(id)('app'), next]),
        edition(AFTER, charts(AFTER), [at(movedTo(id))('app'), next]),
      ];
    },
    failures: [
      ['app', 'never-ready'],
      ['next', 'never-ready'],
    ],
  },
  {
    name: 'job',
    cases: 'F07 F47 F52: a finished Job is made again, and what follows it waits for its end',
    editions: both((version, id) => {
      const components = [at(id)('job'), at(id)('config', { dependsOn: ['job'] })];
      return edition(version, { job: job(version), config: configMapChart() }, components);
    }),
    failures: [
      ['job', 'never-ready'],
      ['job', 'crash'],
    ],
  },
  {
    name: 'immutable',
    cases: 'F52: a Job that is not to be made again',
    editions: both((version, id) =>
      edition(version, { app: app(version), job: job(version) }, [at(id)('app'), at(id)('job', { recreate: 'Never' })]),
    ),
    failures: [],
  },
  {
    name: 'vanishing',
    cases: 'F49: a hook whose Job goes as soon as it is done',
    editions: both((version, id) => {
      const hook = job(version, vanishingJobChart());
      return edition(version, { migrate: hook, app: app(version) }, [
        at(id)('migrate', { phase: 'PreUpgrade' }),
        at(id)('app'),
      ]);
    }),
    failures: [['migrate', 'hook']],
  },
  {
    name: 'hooks',
    cases: 'P13 P14 P15: two hooks, one after the other, of which the second is slow',
    editions: both((version, id) => {
      const slow = behaving(migrateChart(), 'templates/job.yaml', { 'init-for': '2s', 'run-for': '2s' });
      const own = at(id);
      return edition(version, { backup: migrateChart(), migrate: slow, app: app(version) }, [
        own('backup', { phase: 'PreUpgrade' }),
        own('migrate', { phase: 'PreUpgrade', dependsOn: ['backup'] }),
        own('app'),
      ]);
    }),
    failures: [
      ['backup', 'hook'],
      ['migrate', 'hook'],
      ['app', 'never-ready'],
    ],
  },
  {
    name: 'definition',
    cases: 'F12 F30 F31: a definition that changes in the upgrade, and an object of it',
    editions: (id) => {
      const kind = { apiVersion: `${id}.example.org/v1`, kind: 'Part' };
      const readyWhen = [{ ...kind, name: 'part', condition: 'Ready', status: 'True' }];
      const make = (version: string): Edition => {
        const crd = definitionText({ group: `${id}.example.org`, kind: kind.kind, length: version === AFTER ? 2 : 1 });
        const served = crd.replace('storage: true,', 'storage: true, subresources: {status: {}},');
        const charts = {
          operator: { ...app(version), 'crds/part.yaml': served },
          part: objectChart(kind, { version, script: SETTLING }),
        };
        const own = at(id);
        return edition(version, charts, [
          own('operator', { upgradeCRDs: 'CreateReplace' }),
          own('part', { dependsOn: ['operator'], readyWhen }),
        ]);
      };
      return [make(BEFORE), make(AFTER)];
    },
    controller: (id) => ({
      group: `${id}.example.org`,
      kind: 'Part',
      deployment: 'operator',
      definesLate: false,
      scripts: [SETTLING, SETTLING],
    }),
    failures: [['operator', 'never-ready']],
  },
  {
    name: 'sets',
    cases: 'F42 F43: a StatefulSet with claims, and a DaemonSet',
    editions: both((version, id) =>
      edition(version, { store: statefulSetChart(version), agent: daemonSetChart(version) }, [
        at(id)('store'),
        at(id)('agent'),
      ]),
    ),
    failures: [
      ['store', 'never-ready'],
      ['agent', 'crash'],
    ],
  },
  {
    name: 'odd',
    cases: 'F26 F37 F38: paused, without replicas, and with none that has to be available',
    editions: both((version, id) => {
      const strategy = 'strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}';
      const charts = {
        paused: deployment(version, 'paused: true'),
        idle: { ...app(version), 'values.yaml': `replicas: 0\nimage: example.org/app:${version}\nsim: {}\n` },
        single: deployment(version, strategy),
      };
      return edition(version, charts, [at(id)('paused'), at(id)('idle'), at(id)('single')]);
    }),
    failures: [['single', 'never-ready']],
  },
  {
    name: 'own-hooks',
    cases: "a chart with Helm's own hook",
    editions: both((version, id) =>
      edition(version, { hooked: { ...slowHookChart('1s'), ...app(version) }, app: app(version) }, [
        at(id)('hooked'),
        at(id)('app'),
      ]),
    ),
    failures: [['app', 'never-ready']],
  },
  {
    name: 'own-hook-fails',
    cases: 'a chart whose own hook fails in the upgrade',
    editions: both((version, id) => {
      const [fine, failing] = [{ 'run-for': '1s' }, { 'exit-code': '1' }].map((each) => podAnnotations(each));
      const words = (annotations: unknown): string => JSON.stringify(annotations);
      const chart = { ...slowHookChart('1s'), ...app(version) };
      const bad = inTemplate(chart, 'templates/hook.yaml', words(fine), words(failing));
      return edition(version, { hooked: version === AFTER ? bad : chart }, [at(id)('hooked')]);
    }),
    failures: [],
  },
  {
    name: 'address',
    cases: 'F44: an address that never comes',
    editions: arriving(LOAD_BALANCER, { readiness: { loadBalancer: 'Address' } }),
    waitsInVain: true,
    failures: [],
    likeness: 'loadBalancers: {readyAfter: never}',
  },
  {
    name: 'claim',
    cases: 'F43: a claim that nobody can bind',
    editions: arriving(CLAIM),
    waitsInVain: true,
    failures: [],
  },
];
