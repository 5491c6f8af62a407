import type { KubeObject } from '../../api/kube.ts';
import { asString, at } from '../../lib/json.ts';
import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import { formatTable } from '../text/table.ts';
import { isChanged, type Planned } from './planned.ts';

export type ChangeAction = 'install' | 'upgrade' | 'downgrade' | 'change' | 'keep';

/** What an install means for one package. */
export interface PackageChange {
  readonly action: ChangeAction;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly variant: string;
}

/** `source` is undefined when a repository has yet to deliver it. */
export function changeOf(pkg: Planned, source: KubeObject | undefined, sourceChanges: boolean): PackageChange {
  const from = asString(at(pkg.before, 'status', 'version')) ?? '';
  const to = asString(at(source, 'spec', 'version')) ?? '';
  const variant = asString(at(pkg.after, 'spec', 'variant')) ?? '';
  const action =
    pkg.before === undefined
      ? 'install'
      : (versionStep(from, to) ?? (isChanged(pkg) || sourceChanges ? 'change' : 'keep'));
  return { action, name: pkg.name, from, to, variant };
}

function versionStep(from: string, to: string): 'upgrade' | 'downgrade' | undefined {
  const [old, next] = [parseVersion(from), parseVersion(to)];
  if (old.kind !== 'version' || next.kind !== 'version') return undefined;
  const order = compareVersions(next.version, old.version);
  if (order === 0) return undefined;
  return order > 0 ? 'upgrade' : 'downgrade';
}

export function changesTable(changes: readonly PackageChange[]): readonly string[] {
  return formatTable(
    ['ACTION', 'PACKAGE', 'FROM', 'TO', 'VARIANT'],
    changes.map(({ action, name, from, to, variant }) => [action, name, from || '-', to || '-', variant]),
  );
}
