import type { ReadyWhen } from '../../../src/api/readiness.ts';
import { type ChartFiles, customResourceChart, deploymentChart } from '../operator/charts.ts';
import type { Step } from '../operator/fake-operator.ts';
import { at, type Controller, type Edition, edition, type Shape, VERSIONS } from './shape.ts';

const CONDITIONS = [
  ['Available', 'True'],
  ['Progressing', 'False'],
  ['Degraded', 'False'],
] as const;

const DEPLOYING: Step = { afterMs: 500, conditions: { Available: 'False', Progressing: 'True', Degraded: 'False' } };
const DEPLOYED: Step = { afterMs: 1500, conditions: { Available: 'True', Progressing: 'False', Degraded: 'False' } };

/** An operator that makes its definition late, and an object that is ready by three conditions at once. */
export const KUBEVIRT: Shape = {
  name: 'virt',
  cases: 'F25 F13 F15 P11',
  editions: (id) => editionsOf(id, [DEPLOYING, DEPLOYED]),
  controller: (id) => controllerOf(id, [DEPLOYING, DEPLOYED]),
  failures: [['operator', 'never-ready']],
};

/** The object that is never ready after the upgrade. */
export const KUBEVIRT_STUCK: Shape = {
  ...KUBEVIRT,
  name: 'virt-stuck',
  editions: (id) => editionsOf(id, [DEPLOYING]),
  controller: (id) => controllerOf(id, [DEPLOYING]),
  waitsInVain: true,
  failures: [],
};

function controllerOf(id: string, after: readonly Step[]): Controller {
  const scripts = [[DEPLOYING, DEPLOYED], after] as const;
  return { group: `${id}.example.org`, kind: 'Virt', deployment: 'operator', definesLate: true, scripts };
}

function editionsOf(id: string, after: readonly Step[]): readonly [Edition, Edition] {
  const virt = { apiVersion: `${id}.example.org/v1`, kind: 'Virt' };
  const readyWhen: ReadyWhen[] = CONDITIONS.map(([condition, status]) => ({
    ...virt,
    name: 'virt',
    condition,
    status,
  }));
  const own = at(id);
  const components = [own('operator'), own('virt', { dependsOn: ['operator'], readyWhen })];
  const make = (version: string, script: readonly Step[]): Edition =>
    edition(
      version,
      { operator: operatorChart(version), virt: objectChart(virt, { version, script }) },
      components,
      false,
    );
  return [make(VERSIONS[0], [DEPLOYING, DEPLOYED]), make(VERSIONS[1], after)];
}

export function operatorChart(version: string): ChartFiles {
  return { ...deploymentChart(), 'values.yaml': `replicas: 1\nimage: example.org/app:${version}\nsim: {}\n` };
}

/** The script is for the fake operator of the real control plane. */
export function objectChart(
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
  { version, script }: { readonly version: string; readonly script: readonly Step[] },
): ChartFiles {
  const spec = { version, generationIn: 'conditions', script };
  return { ...customResourceChart(apiVersion, kind), 'values.yaml': `spec: ${JSON.stringify(spec)}\n` };
}
