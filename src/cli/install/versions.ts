import { asKubepkgError, KubepkgError } from '../../api/errors.ts';
import type { PackageRevision } from '../../api/package-revision.ts';
import { apiVersionOf } from '../../domain/resolve/requirements.ts';
import type { ChosenPackage, Demand } from '../../domain/resolve/solve/answer.ts';
import type { VersionRequest } from '../../domain/resolve/solve/request.ts';
import { resolveVersions } from '../../domain/resolve/solve/resolve-versions.ts';
import { didYouMeanHint } from '../../lib/did-you-mean.ts';
import { asString, at } from '../../lib/json.ts';
import type { Cluster } from '../host.ts';
import { PACKAGE_SOURCES, PACKAGES, REPOSITORIES, revisionsOf } from '../objects.ts';
import { type VersionFacts, versionRequest, type WantedObjects } from './version-request.ts';

/** Which versions are taken, of everything that is installed or about to be; or who wants what. Writes nothing. */
export async function chooseVersions(cluster: Cluster, wanted: WantedObjects): Promise<readonly ChosenPackage[]> {
  const facts = await gatherFacts(cluster);
  const request = versionRequest(facts, wanted);
  const servedApis = await servedApisOf(cluster, request);
  const answer = resolveVersions({ ...request, servedApis });
  if (answer.kind === 'resolved') return answer.packages;
  throw answer.kind === 'impossible' ? noneFits(answer.demands, request) : tooHard(answer.steps);
}

async function gatherFacts(cluster: Cluster): Promise<VersionFacts> {
  const [packages, sources, repositories] = await Promise.all(
    [PACKAGES, PACKAGE_SOURCES, REPOSITORIES].map(async (kind) => (await cluster.list(kind)).items),
  );
  const all = { packages: packages ?? [], sources: sources ?? [] };
  const revisions = await revisionsOfMoved(cluster, all);
  return { ...all, revisions, hasRepositories: (repositories ?? []).length > 0, servedApis: [] };
}

/** A source that has moved on does not say any more what the version that runs requires. */
async function revisionsOfMoved(
  cluster: Cluster,
  { packages, sources }: Pick<VersionFacts, 'packages' | 'sources'>,
): Promise<VersionFacts['revisions']> {
  const versions = new Map(sources.map((source) => [source.metadata.name, asString(at(source, 'spec', 'version'))]));
  const moved = packages.filter((pkg) => {
    const running = asString(at(pkg, 'status', 'version'));
    return running !== undefined && running !== versions.get(pkg.metadata.name);
  });
  if (moved.length === 0) return [];
  const { items } = await cluster.list(revisionsOf(moved.map(({ metadata }) => metadata.name)));
  return (items as unknown as readonly PackageRevision[]).toSorted((a, b) => a.spec.revision - b.spec.revision);
}

async function servedApisOf(cluster: Cluster, { installed, offers }: VersionRequest): Promise<readonly string[]> {
  const requires = [...installed, ...offers.flatMap(({ variants }) => variants)].flatMap((one) => one.requires);
  const apis = new Set(requires.flatMap(({ capability }) => apiVersionOf(capability) ?? []));
  const answers = await Promise.all([...apis].map(async (api) => ((await mayBeServed(cluster, api)) ? [api] : [])));
  return answers.flat();
}

/** What cannot be looked up at the moment is for the operator to wait for. */
async function mayBeServed(cluster: Cluster, apiVersion: string): Promise<boolean> {
  try {
    return (await cluster.served(apiVersion)) !== undefined;
  } catch (error) {
    if (asKubepkgError(error).class === 'bug') throw error;
    return true;
  }
}

const MOST_DEMANDS = 12;

/** In one line, as every error is. */
function noneFits(demands: readonly Demand[], request: VersionRequest): KubepkgError {
  const shown = demands.slice(0, MOST_DEMANDS).map(({ sentence }) => sentence);
  const rest = demands.length - shown.length;
  const more = rest > 0 ? [`and ${String(rest)} more demands`] : [];
  return new KubepkgError('InvalidConfiguration', `no versions fit together: ${[...shown, ...more].join('; ')}`, {
    hint: remedyFor(demands, request),
  });
}

function remedyFor(demands: readonly Demand[], { offers, installed }: VersionRequest): string {
  const missing = demands.find(({ kind, versions }) => kind === 'offer' && versions.length === 0);
  if (missing !== undefined) {
    const known = [...offers, ...installed].flatMap(({ name, provides }) => [name, ...provides]);
    return didYouMeanHint(missing.name, [...new Set(known)].sort(), 'give a PackageSource of it as well, with -f FILE');
  }
  const running = demands.find(({ kind }) => kind === 'running');
  if (running === undefined) return 'ask for other versions, or give sources that fit together with -f FILE';
  const [older = 'VERSION'] =
    demands.find(({ kind, name }) => kind === 'offer' && name === running.name)?.versions ?? [];
  return `to go back, ask for that version: ${running.name}@${older}`;
}

function tooHard(steps: number): KubepkgError {
  return new KubepkgError(
    'InvalidConfiguration',
    `no versions were found that fit together, in ${String(steps)} steps`,
    {
      hint: 'leave less to choose: ask for exact versions, as NAME@VERSION',
    },
  );
}
