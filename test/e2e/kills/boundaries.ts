import { asArray, asString, at } from '../../../src/lib/json.ts';
import type { BackendName } from '../operator/backends/backend.ts';
import type { KillPoint, Write } from '../operator/kill-proxy.ts';

export type Matcher = (write: Write, pkg: string) => boolean;

/** What happens just then, and where the kill strikes. */
export type Boundary = readonly [what: string, moment: KillPoint['moment'], matches: Matcher];

export interface Boundaries {
  /** The first moment at which the hook's Job may run. */
  readonly hookBegins: Boundary;
  /** Of an upgrade that is rolled back, besides what is recorded of it. */
  readonly deliveries: readonly Boundary[];
  readonly removal: readonly Boundary[];
}

/** A revision's status is written with that in it. */
function status(revision: number, holds: (status: unknown) => boolean): Matcher {
  return ({ method, path, body }, pkg) =>
    method === 'PUT' &&
    path.includes(`/packagerevisions/${pkg}-${String(revision)}/status`) &&
    holds(at(JSON.parse(body), 'status'));
}

function isAt(part: 'hooks' | 'components' | 'removals', name: string, state: string): (status: unknown) => boolean {
  return (found) =>
    asArray(at(found, part)).some((progress) => {
      const subject = asString(at(progress, 'name')) ?? '';
      return (subject === name || subject.endsWith(`/${name}`)) && at(progress, 'state') === state;
    });
}

const inPhase =
  (phase: string) =>
  (found: unknown): boolean =>
    at(found, 'phase') === phase;

const revisionCreated =
  (revision: number): Matcher =>
  ({ method, path, body }, pkg) =>
    method === 'POST' && path.includes('/packagerevisions') && body.includes(`"${pkg}-${String(revision)}"`);

/** What is recorded of an upgrade that is rolled back: the same on every backend. */
export const journal = ({ hookBegins }: Boundaries): readonly Boundary[] => [
  ['the revision is created', 'before', revisionCreated(2)],
  ['the revision is created', 'after', revisionCreated(2)],
  ['the hook is recorded', 'before', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  ['the hook is recorded', 'after', status(2, isAt('hooks', 'migrate', 'Submitted'))],
  hookBegins,
  ["the hook's end is recorded", 'before', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ["the hook's end is recorded", 'after', status(2, isAt('hooks', 'migrate', 'Ready'))],
  ['a component is recorded', 'before', status(2, isAt('components', 'app', 'Submitted'))],
  ['a component is recorded', 'after', status(2, isAt('components', 'app', 'Submitted'))],
  ['the failure is recorded, and a rollback owed', 'before', status(2, inPhase('Failed'))],
  ['the failure is recorded, and a rollback owed', 'after', status(2, inPhase('Failed'))],
  ['the rollback is created', 'after', revisionCreated(3)],
  ["in rollback, a component's removal is recorded", 'after', status(3, isAt('removals', 'last', 'Submitted'))],
  ['in rollback, a component is recorded', 'before', status(3, isAt('components', 'front', 'Submitted'))],
  ['in rollback, a component is recorded', 'after', status(3, isAt('components', 'front', 'Submitted'))],
  ['the rollback is recorded as applied', 'before', status(3, inPhase('Applied'))],
  ['the rollback is recorded as applied', 'after', status(3, inPhase('Applied'))],
];

/** A helm that makes the record of a release: pending. */
const recordMade =
  (release: string): Matcher =>
  ({ by, method, path, body }, pkg) =>
    by === 'helm' &&
    method === 'POST' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets`) &&
    body.includes(`sh.helm.release.v1.${release}.v`);

/** A helm that is done and says so in the record. */
const recordChanged =
  (release: string, state: 'deployed' | 'uninstalling'): Matcher =>
  ({ by, method, path, body }, pkg) =>
    by === 'helm' &&
    method === 'PUT' &&
    path.startsWith(`/api/v1/namespaces/${pkg}/secrets/sh.helm.release.v1.${release}.v`) &&
    body.includes(state);

const objectWritten =
  (resource: string, name: string): Matcher =>
  ({ by, method, path }, pkg) =>
    by === 'helm' && method === 'PATCH' && path.includes(`/namespaces/${pkg}/${resource}/${name}`);

const deleted =
  (resource: string, name: string): Matcher =>
  ({ method, path }, pkg) =>
    method === 'DELETE' && path.includes(`/namespaces/${pkg}/${resource}/${name}`);

const record = (release: string): Matcher => deleted('secrets', `sh.helm.release.v1.${release}.`);

const HELM: Boundaries = {
  hookBegins: ['the hook is delivered, and its Job runs', 'after', recordChanged('migrate', 'deployed')],
  deliveries: [
    ['the hook is submitted', 'before', recordMade('migrate')],
    ['the hook is submitted', 'after', recordMade('migrate')],
    ["the hook's Job is made", 'after', objectWritten('jobs', 'migrate')],
    ['a component is submitted', 'before', recordMade('app')],
    ['a component is submitted', 'after', recordMade('app')],
    ["a component's objects are written", 'after', objectWritten('deployments', 'app')],
    ['a component is delivered', 'before', recordChanged('app', 'deployed')],
    ['a component is delivered', 'after', recordChanged('app', 'deployed')],
    ['in rollback, the removal of a component begins', 'after', recordChanged('last', 'uninstalling')],
    ['in rollback, an object of a component is removed', 'after', deleted('jobs', 'last')],
    ['in rollback, the record of a component is removed', 'before', record('last')],
    ['in rollback, a component is submitted', 'after', recordMade('front')],
    ['in rollback, a component is delivered', 'after', recordChanged('front', 'deployed')],
    ["the hook's Job is removed", 'after', deleted('jobs', 'migrate')],
    ["the hook's record is removed", 'before', record('migrate')],
  ],
  removal: [
    ['helm begins', 'before', recordChanged('front', 'uninstalling')],
    ['helm begins', 'after', recordChanged('front', 'uninstalling')],
    ['an object is removed', 'after', deleted('deployments', 'app')],
    ['the last record is removed', 'before', record('store')],
    ['the last record is removed', 'after', record('store')],
  ],
};

/** A write of an object of Flux, or of the Secret with values, that belongs to a release. */
const fluxWrite =
  (method: string, resource: 'helmreleases' | 'helmrepositories', release: string): Matcher =>
  (write, pkg) =>
    write.method === method &&
    write.path.includes(`/namespaces/${pkg}/${resource}`) &&
    (method === 'POST' ? write.body.includes(`"name":"${release}`) : write.path.includes(`/${resource}/${release}`));

const instructed = (release: string): Matcher => fluxWrite('PUT', 'helmreleases', release);
const patched = (release: string): Matcher => fluxWrite('PATCH', 'helmreleases', release);

const valuesWritten =
  (release: string): Matcher =>
  ({ method, path, body }, pkg) =>
    method === 'POST' && path.startsWith(`/api/v1/namespaces/${pkg}/secrets`) && body.includes(`"${release}-values-`);

const FLUX: Boundaries = {
  hookBegins: ['the hook is instructed', 'after', instructed('migrate')],
  deliveries: [
    ['the HelmRelease of the hook is made', 'before', fluxWrite('POST', 'helmreleases', 'migrate')],
    ['the HelmRelease of the hook is made', 'after', fluxWrite('POST', 'helmreleases', 'migrate')],
    ['the source of the hook is made', 'after', fluxWrite('POST', 'helmrepositories', 'migrate')],
    ['the values of the hook are written', 'before', valuesWritten('migrate')],
    ['the values of the hook are written', 'after', valuesWritten('migrate')],
    ['the hook is instructed', 'before', instructed('migrate')],
    ['the hook is instructed', 'after', instructed('migrate')],
    ['the source of a component is made', 'after', fluxWrite('POST', 'helmrepositories', 'app')],
    ['a component is instructed', 'before', instructed('app')],
    ['a component is instructed', 'after', instructed('app')],
    ['in rollback, the removal of a component is prepared', 'after', patched('last')],
    ['in rollback, the removal of a component begins', 'before', deleted('helmreleases', 'last')],
    ['in rollback, the removal of a component begins', 'after', deleted('helmreleases', 'last')],
    ['in rollback, the record of a component is removed', 'before', record('last')],
    ['in rollback, the values of a component are removed', 'after', deleted('secrets', 'last-values-')],
    ['in rollback, the last of a component is let go', 'before', patched('last')],
    ['in rollback, the last of a component is let go', 'after', patched('last')],
    ['in rollback, a component is instructed', 'before', instructed('front')],
    ['in rollback, a component is instructed', 'after', instructed('front')],
    ["the hook's removal begins", 'after', deleted('helmreleases', 'migrate')],
    ["the hook's record is removed", 'after', record('migrate')],
    ['the last of the hook is let go', 'before', patched('migrate')],
  ],
  removal: [
    ['the removal is prepared', 'after', patched('front')],
    ['the removal begins', 'before', deleted('helmreleases', 'front')],
    ['the removal begins', 'after', deleted('helmreleases', 'front')],
    ['a record is removed', 'before', record('app')],
    ['the last HelmRelease is let go', 'before', patched('store')],
    ['the last HelmRelease is let go', 'after', patched('store')],
  ],
};

const application =
  (method: 'POST' | 'PUT' | 'DELETE', release: string): Matcher =>
  (write, pkg) =>
    write.method === method &&
    write.path.includes('/applications') &&
    (method === 'POST' ? write.body : write.path).includes(`${pkg}-${release}-`);

const ARGOCD: Boundaries = {
  hookBegins: ['the Application of the hook is made', 'after', application('POST', 'migrate')],
  deliveries: [
    ['the Application of the hook is made', 'before', application('POST', 'migrate')],
    ['the Application of the hook is made', 'after', application('POST', 'migrate')],
    ['a component is instructed', 'before', application('PUT', 'app')],
    ['a component is instructed', 'after', application('PUT', 'app')],
    ['a further component is instructed', 'before', application('POST', 'last')],
    ['a further component is instructed', 'after', application('POST', 'last')],
    ['in rollback, the removal of a component is prepared', 'before', application('PUT', 'last')],
    ['in rollback, the removal of a component is prepared', 'after', application('PUT', 'last')],
    ['in rollback, the removal of a component begins', 'before', application('DELETE', 'last')],
    ['in rollback, the removal of a component begins', 'after', application('DELETE', 'last')],
    ['in rollback, a component is instructed', 'before', application('PUT', 'front')],
    ['in rollback, a component is instructed', 'after', application('PUT', 'front')],
    ["the hook's removal is prepared", 'after', application('PUT', 'migrate')],
    ["the hook's removal begins", 'before', application('DELETE', 'migrate')],
    ["the hook's removal begins", 'after', application('DELETE', 'migrate')],
  ],
  removal: [
    ['the removal is prepared', 'before', application('PUT', 'front')],
    ['the removal is prepared', 'after', application('PUT', 'front')],
    ['the removal begins', 'before', application('DELETE', 'front')],
    ['the removal begins', 'after', application('DELETE', 'front')],
    ['the last removal begins', 'before', application('DELETE', 'store')],
    ['the last removal begins', 'after', application('DELETE', 'store')],
  ],
};

export const BOUNDARIES: Readonly<Record<BackendName, Boundaries>> = { helm: HELM, flux: FLUX, argocd: ARGOCD };
