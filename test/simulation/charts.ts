import type { KubeObject } from '../../src/api/kube.ts';
import { digestOf } from '../../src/lib/digest.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import type { ReleaseTarget } from '../../src/ports/backend.ts';
import { API_VERSIONS, GUARD, OWNER, SCRIPT, TOKEN } from './places.ts';
import type { Chart, ObjectPlan, PackagePlan } from './universe.ts';

/** The charts of a universe, found by what a source says of them. */
export class ChartShelf {
  readonly #charts = new Map<string, Chart>();
  readonly #contents = new Map<string, Chart>();

  constructor(packages: readonly PackagePlan[]) {
    for (const { name, versions } of packages) {
      for (const { version, components } of versions) {
        for (const component of components) {
          this.#charts.set(`${treeUrl(name, version)} ${component.name}`, component.chart);
          this.#contents.set(component.chart.content, component.chart);
        }
      }
    }
  }

  find(url: string, path: string): Chart | undefined {
    return this.#charts.get(`${url} ${path}`);
  }

  ofContent(content: string): Chart | undefined {
    return this.#contents.get(content);
  }
}

export function treeUrl(pkg: string, version: string): string {
  return `oci://registry.example.org/${pkg}:${version}`;
}

interface Rendered extends ReleaseTarget {
  readonly token: string | undefined;
  readonly values: JsonObject;
}

/** What a release consists of, as its chart renders it. */
export function render(chart: Chart, release: Rendered): readonly KubeObject[] {
  return chart.objects.map((plan) => renderObject(plan, chart, release));
}

function renderObject(plan: ObjectPlan, chart: Chart, release: Rendered): KubeObject {
  const { namespace, releaseName } = release;
  const finalizers = 'script' in plan && plan.script.finalizer !== undefined ? [GUARD] : undefined;
  return {
    apiVersion: API_VERSIONS[plan.kind],
    kind: plan.kind,
    metadata: {
      name: plan.name,
      namespace,
      annotations: {
        [SCRIPT]: JSON.stringify(plan),
        [OWNER]: `${release.package}/${release.component}`,
        [TOKEN]: release.token ?? '',
        'meta.helm.sh/release-name': releaseName,
        'meta.helm.sh/release-namespace': namespace,
      },
      ...(finalizers === undefined ? {} : { finalizers }),
    },
    ...(plan.kind === 'PersistentVolumeClaim' ? { status: { phase: 'Bound' } } : {}),
    spec: {
      ...(plan.kind === 'Deployment' ? { replicas: 1 } : {}),
      ...(plan.kind === 'Job' && plan.job.ttl !== undefined ? { ttlSecondsAfterFinished: plan.job.ttl } : {}),
      template: digestOf([chart.content, release.values]),
    },
  };
}
