import type { Condition, KubeObject } from '../../../src/api/kube.ts';
import type { ComponentProgress, PackageRevision } from '../../../src/api/package-revision.ts';

const PARTS = ['hooks', 'removals', 'components'] as const;
type Part = (typeof PARTS)[number];
const NOUNS: Readonly<Record<Part, string>> = { hooks: 'hook', removals: 'removal of', components: 'component' };

/** How often the same is tried before the world is as it has to be is up to the clock, and no other decision. */
export function withoutRepeats(lines: readonly string[]): readonly string[] {
  return lines.filter((line, index) => line !== lines[index - 1]);
}

export function lossOf({ kind, metadata }: KubeObject): readonly string[] {
  return kind === 'Secret' ? [] : [`${kind} ${metadata.name} is gone`];
}

export function newsOf(before: KubeObject | undefined, object: KubeObject): readonly string[] {
  switch (object.kind) {
    case 'Package':
      return readyNews(before, object);
    case 'PackageRevision':
      return revisionNews(revisionIn(before), object as unknown as PackageRevision);
    default:
      return recordNews(before, object);
  }
}

function revisionIn(object: KubeObject | undefined): PackageRevision | undefined {
  return object as unknown as PackageRevision | undefined;
}

export function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  return (object?.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
}

function readyNews(before: KubeObject | undefined, object: KubeObject): readonly string[] {
  const [was, is] = [before, object].map((each) => {
    const ready = conditionsOf(each).find(({ type }) => type === 'Ready');
    return ready === undefined ? '' : `Ready ${ready.status} ${ready.reason}`;
  });
  return was === is || is === undefined || is === '' ? [] : [is];
}

export function releaseOf({ metadata: { namespace = '', labels = {} } }: KubeObject): string {
  return `${namespace}/${labels['name'] ?? ''}`;
}

function recordNews(before: KubeObject | undefined, object: KubeObject): readonly string[] {
  const { labels = {} } = object.metadata;
  const status = labels['status'] ?? '';
  if (before?.metadata.labels?.['status'] === status) return [];
  return [`release ${releaseOf(object)} ${labels['version'] ?? ''} is ${status}`];
}

function revisionNews(before: PackageRevision | undefined, revision: PackageRevision): readonly string[] {
  const head = `revision ${String(revision.spec.revision)}`;
  const made = before === undefined ? [`${head} is made: ${specOf(revision)}`] : [];
  const steps = PARTS.flatMap((part) => stepsOf(part, before, revision));
  const ends = [phaseOf, failureOf, rollbackOf].flatMap((read) => {
    const word = read(revision);
    return word === undefined || word === (before === undefined ? undefined : read(before)) ? [] : [word];
  });
  return [...made, ...[...steps, ...ends].map((text) => `${head}: ${text}`)];
}

function specOf({ spec }: PackageRevision): string {
  const { version, fromVersion = 'nothing', restoredFrom = 0, hooks = [], components = [] } = spec;
  const names = (list: readonly { readonly name: string }[]): string => `[${list.map(({ name }) => name).join(' ')}]`;
  const restores = restoredFrom === 0 ? '' : `, restores ${String(restoredFrom)}`;
  return `${version} from ${fromVersion}${restores}, hooks ${names(hooks)}, components ${names(components)}`;
}

function stepsOf(part: Part, before: PackageRevision | undefined, { status }: PackageRevision): readonly string[] {
  return (status?.[part] ?? []).flatMap((progress) => {
    const former = before?.status?.[part]?.find(({ name }) => name === progress.name);
    const [was, is] = [stateOf(former), stateOf(progress)];
    return was === is || is === WATCHED ? [] : [`${NOUNS[part]} ${progress.name} is ${is}`];
  });
}

/** Its release is right, and its health is not known yet: whether that is noted depends on what is read first. */
const WATCHED = 'Submitted untouched';

/** Whether it was submitted once or more is a decision, and how often it was not. */
function stateOf(progress: ComponentProgress | undefined): string {
  const { state = 'Pending', attempt = 0, rewaits = 0 } = progress ?? {};
  const again = `${attempt > 1 ? ' again' : ''}${rewaits > 0 ? ' after a relapse' : ''}`;
  return `${state}${state !== 'Pending' && attempt === 0 ? ' untouched' : again}`;
}

function phaseOf({ status }: PackageRevision): string | undefined {
  return status?.phase;
}

function failureOf({ status }: PackageRevision): string | undefined {
  const { failure, evidence } = status ?? {};
  const about = evidence === undefined ? '' : `, evidence of ${evidence.component}`;
  return failure === undefined ? undefined : `fails by ${failure.component ?? 'itself'}: ${failure.code}${about}`;
}

function rollbackOf({ status }: PackageRevision): string | undefined {
  const rollback = status?.rollback;
  return rollback === undefined ? undefined : `rollback to ${String(rollback.to)} is ${rollback.state}`;
}
