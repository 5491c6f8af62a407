import { nameOf } from '../../api/kube.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { type ComponentScene } from '../look/component-scenes.ts';
import { notReady, type ObjectReport, type ObjectState, type PodReport } from '../look/judge-objects.ts';
import { formatAge, parseTime } from '../text/age.ts';
import type { Style } from '../text/paint.ts';
import { oneLine } from '../text/sanitize.ts';
import { newestFailure, tellingFindings } from './failure-evidence.ts';
import { componentDetail, componentTitle, elapsed, paintState, timeLeft } from './component-lines.ts';
import type { Moment } from './live-report.ts';
import type { ComponentReport, RevisionReport } from './package-report.ts';
import { type TreeNode, treeLines } from './tree-lines.ts';

/** What was read for the tree beside the package and its revisions. */
export interface TreeScene {
  readonly scenes: readonly ComponentScene[];
  /** Ready objects too. */
  readonly all: boolean;
  /** With a table of attempts and times below it. */
  readonly wide?: boolean;
}

export interface TreeMoment extends Moment {
  /** What is to be said, or that it stands above. */
  readonly say: (text: string) => string;
  readonly columns?: number;
}

const STYLES: Readonly<Record<ObjectState, Style>> = {
  Ready: 'green',
  Progressing: 'cyan',
  Failed: 'red',
  Terminating: 'yellow',
  Unknown: 'yellow',
  Missing: 'yellow',
  Unreadable: 'yellow',
};

/** Package, components, objects, pods, causes. What the operator says comes first; what was read now only adds to it. */
export function componentTree(
  name: string,
  revisions: readonly PackageRevision[],
  {
    report,
    scene,
    moment,
  }: { readonly report: RevisionReport; readonly scene: TreeScene; readonly moment: TreeMoment },
): readonly string[] {
  const { number, version, phase, components } = report;
  const title = `${moment.paint('bold', name)} ${version === '' ? 'unversioned' : version} (revision ${String(number)}, ${phase})`;
  const newest = revisions.at(-1);
  const children = components.map((component, index) =>
    componentNode(component, { index, report, scene, moment, newest }),
  );
  const undone = newestFailure(revisions);
  const former =
    undone === undefined || undone === newest ? [] : treeLines(failureNode(undone, moment), moment.columns);
  return [...treeLines({ title, children }, moment.columns), ...former];
}

interface Place {
  readonly index: number;
  readonly report: RevisionReport;
  readonly scene: TreeScene;
  readonly moment: TreeMoment;
  readonly newest: PackageRevision | undefined;
}

function componentNode(component: ComponentReport, { index, report, scene, moment, newest }: Place): TreeNode {
  const { now, paint, say } = moment;
  const state = paintState(component.state, paint);
  const facts = timeFacts(component, now);
  const title = [componentTitle(component), state, ...(facts === '' ? [] : [facts])].join('  ');
  const own = scene.scenes.find(({ name, part }) => name === component.name && (part === 'hooks') === component.hook);
  const details = [say(componentDetail(report, index))];
  if (component.state === 'Ready') return { title, details, children: objectNodes(own, scene, moment) };
  const children = [...objectNodes(own, scene, moment), ...evidenceNodes(component, newest, say)];
  return { title, details: [...details, hintOnObjects(component, own)], children };
}

function timeFacts(component: ComponentReport, now: number): string {
  const time = elapsed(component, now);
  if (component.state === 'Ready') return time === '' ? '' : `after ${time}`;
  if (component.state !== 'Submitted') return '';
  const left = timeLeft(component, now);
  const deadline = component.deadline === undefined ? '' : ` (${component.deadline.replace(/\.\d+Z$/, 'Z')})`;
  return [...(time === '' ? [] : [`for ${time}`]), ...(left === '' ? [] : [`${left}${deadline}`])].join(', ');
}

/** That nothing was found is no verdict: the operator's is. */
function hintOnObjects({ state }: ComponentReport, scene: ComponentScene | undefined): string {
  if (state !== 'Submitted' || scene?.objects === undefined) return '';
  if (scene.objects.length === 0) return 'none of its objects can be looked at yet';
  const isQuiet = scene.objects.every((object) => object.state === 'Ready');
  return isQuiet ? 'its objects look ready now; the operator has not accepted it yet' : '';
}

function objectNodes(scene: ComponentScene | undefined, { all }: TreeScene, moment: TreeMoment): readonly TreeNode[] {
  const objects = scene?.objects ?? [];
  const calm = all ? objects.filter(({ state }) => state === 'Ready') : [];
  return [...notReady(objects), ...calm].map((object) => objectNode(object, moment));
}

function objectNode({ ref, state, message, since, pods, morePods }: ObjectReport, moment: TreeMoment): TreeNode {
  const title = [nameOf(ref), moment.paint(STYLES[state], state), ...sinceFact(since, moment)].join('  ');
  const more = morePods === 0 ? [] : [{ title: `${String(morePods)} more pods are not ready` }];
  return {
    title: oneLine(title),
    details: [sayHere(oneLine(message), moment)],
    children: [...pods.map((pod) => podNode(pod, moment)), ...more],
  };
}

function podNode({ name, since, cause }: PodReport, moment: TreeMoment): TreeNode {
  return { title: [`Pod ${name}`, ...sinceFact(since, moment)].join('  '), details: [sayHere(oneLine(cause), moment)] };
}

/** What takes a line or so is worth saying again where it belongs. */
const LINE = 150;

function sayHere(text: string, { say }: TreeMoment): string {
  return text.length > LINE ? say(text) : text;
}

function sinceFact(since: string | undefined, { now }: TreeMoment): readonly string[] {
  const time = parseTime(since);
  return time === undefined ? [] : [`for ${formatAge(now - time)}`];
}

/** What was seen when it failed, before anything was undone. */
function evidenceNodes(
  { name, message }: ComponentReport,
  revision: PackageRevision | undefined,
  say: TreeMoment['say'],
): readonly TreeNode[] {
  return revision?.status?.evidence?.component === name ? findingNodes(seen(revision, message, say)) : [];
}

function seen({ spec, status = {} }: PackageRevision, message: string, say: TreeMoment['say']): readonly string[] {
  const { evidence } = status;
  const findings = tellingFindings(evidence?.findings ?? [], message).map(say);
  if (evidence?.logs === undefined) return findings;
  return [...findings, `its last log lines: kubepkg logs ${spec.package} ${evidence.component} --failed`];
}

function findingNodes(details: readonly string[]): readonly TreeNode[] {
  return details.length === 0 ? [] : [{ title: 'seen when it failed', details }];
}

function failureNode(revision: PackageRevision, { paint, say }: TreeMoment): TreeNode {
  const { spec, status = {} } = revision;
  const version = spec.version === '' ? 'unversioned' : spec.version;
  const title = `revision ${String(spec.revision)} (${version}) ${paint('red', 'failed')} and was undone`;
  const { component = '', message = '' } = status.failure ?? {};
  const cause = oneLine(message);
  const details = [say(cause)];
  if (component === '') return { title, details };
  const children = findingNodes(seen(revision, cause, say));
  return { title, children: [{ title: component, details, children }] };
}
