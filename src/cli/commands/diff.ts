import { KubepkgError } from '../../api/errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { CliHost } from '../host.ts';
import { compareLive } from '../look/compare-live.ts';
import { compareManifests, compareRevisions } from '../look/compare-revisions.ts';
import type { Comparison } from '../look/comparison.ts';
import { chooseMembers, type PackageScope, requireRevision, withScope } from '../look/package-scope.ts';
import { openSight, type Sight } from '../look/sight.ts';
import { formatData, objectName } from '../output-format.ts';
import { diffLines } from '../report/diff-report.ts';
import { writeLines } from '../write-lines.ts';
import { type GlobalFlags, paintFor } from './context.ts';

export interface DiffFlags extends GlobalFlags {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Against what runs. */
  readonly live?: boolean | undefined;
  /** The objects that were delivered rather than what the revisions say. */
  readonly manifests?: boolean | undefined;
  readonly exitCode?: boolean | undefined;
  readonly showSecrets?: boolean | undefined;
  readonly output?: 'json' | 'yaml' | 'name' | undefined;
}

export interface DiffArguments {
  readonly name: string;
  readonly component?: string | undefined;
}

export function runDiff(host: CliHost, { name, component }: DiffArguments, flags: DiffFlags): Promise<ExitCode> {
  refuseContradictions(flags);
  return withScope(host, { name, flags }, async ({ cluster, scope }) => {
    const sight = openSight(host, cluster);
    const comparison = await compare(sight, { scope, component, flags });
    show(host, comparison, flags);
    sight.troubles.report(host, paintFor(host, flags, 'stderr'));
    return flags.exitCode === true ? exitCodeOf(comparison) : EXIT.ok;
  });
}

/** As of `diff`: what could not be compared weighs more than a difference. */
function exitCodeOf({ changes, unread }: Comparison): ExitCode {
  if (unread.length > 0) return EXIT.cluster;
  return changes.length > 0 ? EXIT.failed : EXIT.ok;
}

function refuseContradictions({ live, manifests, from, to, showSecrets }: DiffFlags): void {
  const wrong = (message: string, hint: string): never => {
    throw new KubepkgError('InvalidInput', message, { hint });
  };
  if (live === true && (from !== undefined || manifests === true)) {
    wrong(
      '--live does not go with --from or --manifests',
      'it compares what a revision delivered with what runs: --to N',
    );
  }
  if (showSecrets === true && (live === true || manifests === true)) {
    wrong('--show-secrets is for values alone', 'see a Secret itself: kubectl get secret NAME -o yaml');
  }
  if (from !== undefined && from === to) wrong('--from and --to are the same revision', 'give two of them');
}

interface Wanted {
  readonly scope: PackageScope;
  readonly component: string | undefined;
  readonly flags: DiffFlags;
}

function compare(sight: Sight, { scope, component, flags }: Wanted): Promise<Comparison> {
  const to = requireRevision(scope, flags.to);
  if (component !== undefined) chooseMembers(to, component);
  if (flags.live === true) return compareLive(sight, { revision: to, members: chooseMembers(to, component) });
  const from = requireRevision(scope, flags.from ?? formerOf(scope, to.spec.revision));
  const pair = { package: scope.package, from, to, component, showSecrets: flags.showSecrets === true };
  return flags.manifests === true ? compareManifests(sight, pair) : compareRevisions(sight, pair);
}

function formerOf({ package: pkg, revisions }: PackageScope, number: number): number {
  const former = revisions.findLast(({ spec }) => spec.revision < number);
  if (former !== undefined) return former.spec.revision;
  const { name } = pkg.metadata;
  throw new KubepkgError('NotFound', `package ${name} has no revision before ${String(number)} to compare with`, {
    hint: `compare it with what runs: kubepkg diff ${name} --live`,
  });
}

function show(host: CliHost, comparison: Comparison, flags: DiffFlags): void {
  const { before, after, changes, unread } = comparison;
  if (flags.output === 'json' || flags.output === 'yaml') {
    const data = changes.map(({ component, change: { ref, kind, fields } }) => ({
      component,
      ...ref,
      change: kind,
      fields,
    }));
    host.stdout.write(formatData({ before, after, changes: data, unread }, flags.output));
    return;
  }
  if (changes.length === 0) {
    const known = unread.length === 0 ? 'no difference' : 'not all could be compared: no difference is known';
    writeLines(host.stderr, [`${known} between ${before} and ${after}`]);
    return;
  }
  if (flags.output === 'name') {
    const names = changes.flatMap(({ change: { ref }, revisions = [ref.name] }) =>
      revisions.map((name) => objectName({ ...ref, metadata: { name } })),
    );
    writeLines(host.stdout, names);
  } else writeLines(host.stdout, diffLines(comparison, paintFor(host, flags, 'stdout')));
}
