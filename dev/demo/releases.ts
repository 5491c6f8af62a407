import { cp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A version of the package, and how it differs from the one before. */
export interface DemoRelease {
  readonly version: string;
  readonly title: string;
  /** The version before can run again once this one has run. */
  readonly safe: boolean;
  readonly hook: boolean;
  /** The image of its last component is one that nobody can pull. */
  readonly broken: boolean;
  /** Charts that are new in it; all when left out. */
  readonly changed?: readonly string[];
}

const PLAIN = { safe: true, hook: true, broken: false };

export const FIRST: DemoRelease = { ...PLAIN, version: '1.0.0', title: 'the first install', hook: false };

export const UPGRADE: DemoRelease = { ...PLAIN, version: '1.1.0', title: 'with a hook that runs first' };

export const UNDONE: DemoRelease = {
  ...PLAIN,
  version: '1.2.0',
  title: 'safe to go back from, whose image cannot be pulled',
  broken: true,
  changed: ['app', 'front'],
};

export const STOPPED: DemoRelease = {
  ...UNDONE,
  version: '2.0.0',
  title: 'not safe to go back from, whose image cannot be pulled',
  safe: false,
  changed: ['front'],
};

export const FIXED: DemoRelease = { ...STOPPED, version: '2.0.1', title: 'that fixes it forward', broken: false };

/** The folder of charts of a version. A chart that did not change has the version that it came with. */
export async function writeTree(source: string, target: string, release: DemoRelease): Promise<void> {
  await cp(source, target, { recursive: true });
  for (const chart of await readdir(target)) {
    const isNew = release.changed?.includes(chart) ?? true;
    await replaceIn(join(target, chart, 'Chart.yaml'), '1.0.0', isNew ? release.version : UPGRADE.version);
  }
  if (release.broken) await replaceIn(join(target, 'front', 'values.yaml'), 'broken: false', 'broken: true');
}

/** The PackageSource of a version; the hook stands last in the template. */
export function sourceText(template: string, { version, safe, hook }: DemoRelease, tree: string): string {
  const components = hook ? template : template.slice(0, template.indexOf('        - name: migrate'));
  return components
    .replace('TREE', tree)
    .replace('version: 1.0.0', `version: ${version}`)
    .replace('safe: false', `safe: ${String(safe)}`);
}

async function replaceIn(path: string, from: string, to: string): Promise<void> {
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to));
}
