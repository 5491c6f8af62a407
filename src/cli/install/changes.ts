import type { KubeObject } from '../../api/kube.ts';
import { asNumber, asString, at, isRecord } from '../../lib/json.ts';
import { stableJson } from '../../lib/stable-json.ts';
import { compareVersions, parseVersion } from '../../lib/semver/version.ts';
import type { ChosenPackage } from '../../domain/resolve/solve/answer.ts';
import { oneLine } from '../text/sanitize.ts';
import { HELD_REASONS } from '../../api/reasons.ts';
import { conditionOf } from '../report/package-state.ts';
import { formatWrappedTable } from '../text/table.ts';
import { asPackage } from '../objects.ts';
import { isChanged, type Planned } from './planned.ts';

export type ChangeAction = 'install' | 'upgrade' | 'downgrade' | 'change' | 'keep' | 'held';

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
  const to = versionTo(source, chosen);
  const variant = asString(at(pkg.after, 'spec', 'variant')) ?? '';
  const row = { name: pkg.name, from, to, variant };
  if (!sourceChanges && from !== '' && isHeld(pkg, source)) {
    const remedy = `it is held, as nothing that is wanted changes: kubepkg retry ${pkg.name}`;
    return { ...row, action: 'held', isNew: isChanged(pkg), why: `${why}; ${remedy}` };
  }
  const step = versionStep(from, to) ?? (isChanged(pkg) || sourceChanges ? 'change' : 'keep');
  return { ...row, ...actionOf(pkg, from, step), why };
}

/** A repository may have delivered what is not taken. */
function versionTo(source: KubeObject | undefined, chosen: ChosenPackage | undefined): string {
  return chosen?.newer === undefined ? (asString(at(source, 'spec', 'version')) ?? '') : chosen.to;
}

/** P12: a revision that failed, or was rolled back, is not tried again for a constraint that selects the same version. */
function isHeld({ before, after }: Planned, source: KubeObject | undefined): boolean {
  const ready = before === undefined ? undefined : conditionOf(asPackage(before), 'Ready');
  if (before === undefined || ready === undefined || !HELD_REASONS.includes(ready.reason)) return false;
  const seen = asNumber(at(before, 'status', 'observedSourceGeneration'));
  const isSourceSeen = seen === undefined || seen === source?.metadata.generation;
  const isSeen = ready.observedGeneration === before.metadata.generation;
  return isSeen && isSourceSeen && effectOf(before) === effectOf(after);
}

/** With the source as it is, a constraint that it satisfies changes nothing. */
function effectOf({ spec }: KubeObject): string {
  const { version: _constraint, ...rest } = isRecord(spec) ? spec : {};
  return stableJson(rest);
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
