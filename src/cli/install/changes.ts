import type { KubeObject } from '../../api/kube.ts';
import { asString, at } from '../../lib/json.ts';
import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import type { ChosenPackage } from '../../domain/resolve/solve/answer.ts';
import { oneLine } from '../text/sanitize.ts';
import { formatWrappedTable } from '../text/table.ts';
import { isChanged, type Planned } from './planned.ts';

export type ChangeAction = 'install' | 'upgrade' | 'downgrade' | 'change' | 'keep';

/** What an install means for one package. */
export interface PackageChange {
  readonly action: ChangeAction;
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly variant: string;
  /** Who wants it. */
  readonly why: string;
  /** False: it was asked for just so before, whether or not anything of it runs yet. */
  readonly isNew: boolean;
}

export interface ChangeCause {
  /** Undefined when a repository has yet to deliver it. */
  readonly source: KubeObject | undefined;
  readonly sourceChanges: boolean;
  readonly chosen: ChosenPackage | undefined;
  readonly why: string;
}

export function changeOf(pkg: Planned, { source, sourceChanges, chosen, why }: ChangeCause): PackageChange {
  const from = asString(at(pkg.before, 'status', 'version')) ?? '';
  // A repository may have delivered what is not taken.
  const to = chosen?.newer === undefined ? (asString(at(source, 'spec', 'version')) ?? '') : chosen.to;
  const variant = asString(at(pkg.after, 'spec', 'variant')) ?? '';
  const step = versionStep(from, to) ?? (isChanged(pkg) || sourceChanges ? 'change' : 'keep');
  return { ...actionOf(pkg, from, step), name: pkg.name, from, to, variant, why };
}

/** One that was asked for before, and of which nothing runs yet, is still to be installed. */
function actionOf({ before }: Planned, from: string, step: ChangeAction): Pick<PackageChange, 'action' | 'isNew'> {
  return { action: from === '' ? 'install' : step, isNew: before === undefined || step !== 'keep' };
}

function versionStep(from: string, to: string): 'upgrade' | 'downgrade' | undefined {
  const [old, next] = [parseVersion(from), parseVersion(to)];
  if (old.kind !== 'version' || next.kind !== 'version') return undefined;
  const order = compareVersions(next.version, old.version);
  if (order === 0) return undefined;
  return order > 0 ? 'upgrade' : 'downgrade';
}

/** What becomes of a package that nothing is written of but its source. */
export function changeOfChosen({ name, action, from, to, variant }: ChosenPackage, why: string): PackageChange {
  return { action, name, from, to, variant, why, isNew: action !== 'keep' };
}

export function changesTable(changes: readonly PackageChange[], width = Number.POSITIVE_INFINITY): readonly string[] {
  return formatWrappedTable(
    ['ACTION', 'PACKAGE', 'FROM', 'TO', 'VARIANT', 'WHY'],
    changes.map(({ action, name, from, to, variant, why }) =>
      [action, name, from || '-', to || '-', variant, why].map(oneLine),
    ),
    width,
  );
}
