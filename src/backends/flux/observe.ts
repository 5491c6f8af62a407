import type { KubeObject } from '../../api/kube.ts';
import { LABEL } from '../../api/names.ts';
import { isCode, KubepkgError } from '../../api/errors.ts';
import { awaitedObject } from '../../helm/awaited-object.ts';
import { nameLabel } from '../../helm/labels.ts';
import type { RecordHead } from '../../helm/interpret.ts';
import { asString, at } from '../../lib/json.ts';
import { parseYaml, YamlError } from '../../lib/yaml.ts';
import type { PresentRelease, ReleaseObservation, ReleaseTarget } from '../../ports/backend.ts';
import { companionsIn, type Facts, factsOf } from './facts.ts';
import { causeOf } from './failure.ts';
import { interpret, isAboutFailure, sayWaitsFor } from './interpret.ts';
import { describe, helmReleaseRef, isOwn, SECRET, VALUES_KEY } from './names.ts';
import { observeRemoval } from './removal-state.ts';
import { findSourceTrouble, waitsForSource } from './source-trouble.ts';
import type { FluxTools } from './tools.ts';

export interface Sight {
  readonly helmRelease: KubeObject | undefined;
  readonly observation: ReleaseObservation;
}

/** One request while all is well; release records and values are read only where the HelmRelease does not tell. */
export async function look(target: ReleaseTarget, tools: FluxTools): Promise<Sight> {
  const helmRelease = await tools.cluster.read(helmReleaseRef(target));
  if (helmRelease === undefined) {
    return { helmRelease, observation: judgeRecords(target, await tools.store.heads(target)) };
  }
  return { helmRelease, observation: foreign(helmRelease, target) ?? (await observeOwn(helmRelease, target, tools)) };
}

async function observeOwn(
  helmRelease: KubeObject,
  target: ReleaseTarget,
  tools: FluxTools,
): Promise<ReleaseObservation> {
  const facts = factsOf(helmRelease);
  const removal = await observeRemoval(helmRelease, target, tools);
  if (removal !== undefined) return removal;
  const values = isAboutFailure(facts) ? await readValues(helmRelease, tools) : undefined;
  const observation = interpret(facts, target, { now: tools.clock.now(), values });
  if (observation.failure?.code === 'OwnershipConflict') return awaitObject(facts, { target, observation }, tools);
  const trouble = waitsForSource(facts) ? await findSourceTrouble(helmRelease, tools.cluster) : undefined;
  return trouble === undefined ? observation : { ...observation, message: sayWaitsFor(facts.name, trouble) };
}

/** What is in the way may be going: then another attempt is made once that is gone. */
async function awaitObject(
  facts: Facts,
  { target, observation }: { readonly target: ReleaseTarget; readonly observation: PresentRelease },
  tools: FluxTools,
): Promise<PresentRelease> {
  const awaited = await awaitedObject(causeOf(facts).message, target, tools);
  if (awaited === undefined) return observation;
  const { code, message } = awaited;
  return { ...observation, failure: { code, message }, message };
}

function foreign(helmRelease: KubeObject, target: ReleaseTarget): ReleaseObservation | undefined {
  if (isOwn(helmRelease, target)) return undefined;
  const otherPackage = helmRelease.metadata.labels?.[LABEL.package];
  const name = describe(helmRelease);
  if (otherPackage === undefined) return { state: 'foreign', message: `${name} was not made by kubepkg` };
  return { state: 'foreign', otherPackage, message: `${name} belongs to package ${otherPackage}` };
}

/** Without a HelmRelease nothing is ours, whatever it once was; a release that runs can be taken over. */
export function judgeRecords(target: ReleaseTarget, heads: readonly RecordHead[]): ReleaseObservation {
  const newest = heads[0];
  if (newest === undefined || newest.status === 'uninstalled') return { state: 'absent' };
  const name = `release ${target.namespace}/${target.releaseName}`;
  const owner = newest.labels[LABEL.package];
  if (owner === undefined) return { state: 'foreign', message: `${name} is there without a HelmRelease of kubepkg` };
  if (owner === nameLabel(target.package)) {
    return { state: 'foreign', message: `${name} was delivered by backend helm, and is not Flux's yet` };
  }
  return { state: 'foreign', otherPackage: owner, message: `${name} belongs to package ${owner}` };
}

async function readValues(
  helmRelease: KubeObject,
  { cluster }: FluxTools,
): Promise<{ readonly known: unknown } | undefined> {
  const ref = companionsIn(helmRelease).find(({ kind }) => kind === SECRET.kind);
  if (ref === undefined) return undefined;
  try {
    const secret = await cluster.read(ref);
    const encoded = asString(at(secret, 'data', VALUES_KEY));
    if (encoded === undefined) return undefined;
    return { known: parseYaml(Buffer.from(encoded, 'base64').toString('utf8'), ref.name) };
  } catch (error) {
    if (error instanceof YamlError || isCode(error, 'ApiForbidden')) return undefined;
    throw error;
  }
}

/** What is there changed since it was looked at. */
export function movedOn(target: ReleaseTarget): KubepkgError {
  const name = `${target.namespace}/${target.releaseName}`;
  return new KubepkgError('ApiConflict', `release ${name} changed since it was looked at`);
}
