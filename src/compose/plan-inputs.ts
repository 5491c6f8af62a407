import type { PackageRevision } from '../api/package-revision.ts';
import type { PlanInputs } from '../domain/plan/plan.ts';
import { findPackage, requiredPackage } from '../engine/package-facts.ts';
import { digestOf } from '../lib/digest.ts';
import type { Deliverable } from './plan-deliverables.ts';
import type { KnownCrds } from './plan-surroundings.ts';
import type { Foreseen, Planning, WouldBe } from './planning.ts';

interface Found {
  readonly deliverables: readonly Deliverable[];
  readonly known: KnownCrds | undefined;
  /** Names of the CRDs that the plan speaks of. */
  readonly crds: readonly string[];
}

/** Everything that a plan was made from, so that another plan is told from it. */
export function inputsOf(planning: Planning, { would, world, package: pkg }: Foreseen, found: Found): PlanInputs {
  const {
    crds = [],
    requires = [],
    digest = '',
  } = world.resolution?.kind === 'resolved' ? world.resolution.desired : {};
  const listed = [...new Set([...crds, ...found.crds])].sort();
  const components = found.deliverables.map(({ component }) => component);
  const required = requires.flatMap(({ package: wanted }) => wanted ?? []);
  return {
    package: packageInput(would),
    source: sourceInput(planning, pkg.metadata.name),
    installed: installedIn(world.revisions),
    desired: digest,
    charts: Object.fromEntries(components.map((each) => [each.name, each.chartDigest])),
    values: Object.fromEntries(components.map((each) => [each.name, each.valuesDigest])),
    crds: Object.fromEntries(listed.map((crd) => [crd, found.known?.get(crd) ?? ''])),
    requires: Object.fromEntries(required.map((wanted) => [wanted, appliedVersion(planning, wanted)])),
  };
}

function packageInput({ before, after }: WouldBe): PlanInputs['package'] {
  const { uid = '', generation = 0 } = before?.metadata ?? {};
  return { uid, generation, spec: digestOf(after['spec'] ?? {}) };
}

/** The generation is the one that is there, not that of the trial. */
function sourceInput({ eyes: { journal }, request }: Planning, name: string): PlanInputs['source'] {
  const source = journal.source(name);
  const spec = source?.ok === true ? digestOf(source.value.spec) : '';
  const isGiven = request.sources.some(({ metadata }) => metadata.name === name);
  return { generation: isGiven ? 0 : (journal.sourceGeneration(name) ?? 0), spec };
}

/** `1 Superseded, 2 Applied`. */
function installedIn(revisions: readonly PackageRevision[]): string {
  return revisions.map(({ spec, status }) => `${String(spec.revision)} ${status?.phase ?? 'Pending'}`).join(', ');
}

function appliedVersion({ eyes: { journal } }: Planning, name: string): string {
  const pkg = findPackage(journal, name);
  return (pkg === undefined ? undefined : requiredPackage(journal, pkg).version) ?? '';
}
