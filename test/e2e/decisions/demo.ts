import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import { parseYaml } from '../../../src/lib/yaml.ts';
import { type DemoRelease, FIRST, sourceText, STOPPED, UPGRADE } from '../../../dev/demo/releases.ts';
import type { ChartFiles } from '../operator/charts.ts';
import { type Edition, edition, type Shape } from './shape.ts';

const DEMO = join(process.cwd(), 'dev', 'demo');
const TEMPLATE = readFileSync(join(DEMO, 'package-source.yaml'), 'utf8');

/** The demo's upgrade with a hook. */
export const DEMO_SAFE: Shape = {
  name: 'demo',
  cases: 'F01 F30 P10 P15',
  editions: (id) => [demo(id, FIRST), demo(id, UPGRADE)],
  failures: [
    ['migrate', 'hook'],
    ['widgets', 'never-ready'],
    ['store', 'never-ready'],
    ['app', 'crash'],
    ['front', 'never-ready'],
  ],
};

/** Its upgrade to a version that must not be undone. */
export const DEMO_UNSAFE: Shape = {
  name: 'demo-unsafe',
  cases: 'P11',
  editions: (id) => [demo(id, UPGRADE), demo(id, { ...STOPPED, broken: false })],
  failures: [['front', 'never-ready']],
};

function demo(id: string, release: DemoRelease): Edition {
  const source = parseYaml(sourceText(TEMPLATE, release, 'oci://nowhere.invalid/demo'), 'demo') as {
    readonly spec: { readonly variants: readonly [{ readonly components: readonly SourceComponent[] }] };
  };
  const components = source.spec.variants[0].components.map((component) => ({
    ...component,
    install: { ...component.install, namespace: id },
  }));
  return edition(release.version, chartsOf(id, release), components, release.safe);
}

function chartsOf(id: string, release: DemoRelease): Readonly<Record<string, ChartFiles>> {
  const charts = readdirSync(join(DEMO, 'tree'));
  return Object.fromEntries(charts.map((chart) => [chart, filesOf(chart, { id, release })]));
}

function filesOf(chart: string, { id, release }: { readonly id: string; readonly release: DemoRelease }): ChartFiles {
  const root = join(DEMO, 'tree', chart);
  const isNew = release.changed?.includes(chart) ?? true;
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const text = readFileSync(join(parentPath, name), 'utf8').replaceAll('shop.example.org', `${id}.example.org`);
      const version = isNew ? release.version : UPGRADE.version;
      const path = join(parentPath, name).slice(root.length + 1);
      return [path, name === 'Chart.yaml' ? text.replaceAll('1.0.0', version) : text];
    }),
  );
}
