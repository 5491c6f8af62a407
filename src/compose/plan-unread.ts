import type { KubepkgError } from '../api/errors.ts';
import { nameOf, type ObjectRef } from '../api/kube.ts';
import { someOf } from '../domain/plan/predictions/each-object.ts';
import type { PredictedFinding } from '../domain/plan/predictions/facts.ts';
import type { Cluster } from '../ports/cluster.ts';
import { ifPossible, meansAbsent } from './plan-attempt.ts';

/** What was asked for: one object, or, without a name, all of a kind. */
type Asked = Omit<ObjectRef, 'name'> & { readonly name?: string };

interface Note {
  /** In words. */
  readonly what: string;
  readonly error: KubepkgError;
  /** Absent: it takes more than one. */
  readonly asked?: Asked | undefined;
}

/** What could not be read for the plan of one package: it is not known, which is something else than not there. */
export class Unread {
  readonly #notes = new Map<string, Note>();

  /** For what is asked of the API server. */
  note(asked: Asked): (error: KubepkgError) => void {
    const what = wordsOf(asked);
    return (error) => {
      if (!meansAbsent(error)) this.#notes.set(what, { what, error, asked });
    };
  }

  /** For what takes more than one question. */
  noteAll(what: string): (error: KubepkgError) => void {
    return (error) => {
      this.#notes.set(what, { what, error });
    };
  }

  async findings(cluster: Cluster, pkg: string): Promise<readonly PredictedFinding[]> {
    const notes = [...this.#notes.values()].sort((a, b) => (a.what < b.what ? -1 : 1));
    if (notes.length === 0) return [];
    const finding = { code: 'NotRead', severity: 'warning', subject: `package ${pkg}` } as const;
    return [{ ...finding, message: messageOf(notes), remedy: await remedyOf(cluster, notes) }];
  }
}

function wordsOf({ name, namespace, ...kind }: Asked): string {
  if (name !== undefined) return nameOf({ ...kind, name, ...(namespace === undefined ? {} : { namespace }) });
  return `every ${kind.kind}${namespace === undefined ? '' : ` of namespace ${namespace}`}`;
}

function messageOf(notes: readonly Note[]): string {
  const forbidden = notes.filter(isForbidden);
  const failed = notes.filter((note) => !isForbidden(note));
  const parts = [
    ...(forbidden.length === 0 ? [] : [`may not be read: ${namesOf(forbidden)}`]),
    ...(failed.length === 0 ? [] : [`could not be read, though it was tried again: ${namesOf(failed)}`]),
    ...new Set(failed.map(({ error }) => error.message)),
  ];
  return `${parts.join('; ')}; what runs there is not known, and is taken to be as the last delivery left it`;
}

function namesOf(notes: readonly Note[]): string {
  return someOf(notes.map(({ what }) => what));
}

function isForbidden({ error }: Note): boolean {
  return error.code === 'ApiForbidden';
}

async function remedyOf(cluster: Cluster, notes: readonly Note[]): Promise<string> {
  const rights = await Promise.all(notes.filter(isForbidden).map((note) => rightFor(cluster, note)));
  const remedies = [
    ...(rights.length === 0 ? [] : [`plan with an account that may ${someOf([...new Set(rights)].sort())}`]),
    ...(rights.length === notes.length ? [] : ['plan again when the API server answers']),
  ];
  return remedies.join('; ');
}

/** `get deployments.apps in namespace shop`. */
async function rightFor(cluster: Cluster, { what, asked }: Note): Promise<string> {
  if (asked === undefined) return `read ${what}`;
  const { apiVersion, kind, name, namespace } = asked;
  const verb = name === undefined ? 'list' : 'get';
  const place = namespace === undefined ? '' : ` in namespace ${namespace}`;
  return `${verb} ${await resourceOf(cluster, apiVersion, kind)}${place}`;
}

/** `deployments.apps`; a kind that is not served yet, or cannot be asked for, is named as it is. */
export async function resourceOf(cluster: Cluster, apiVersion: string, kind: string): Promise<string> {
  const group = apiVersion.includes('/') ? `.${apiVersion.slice(0, apiVersion.indexOf('/'))}` : '';
  const served = await ifPossible(() => cluster.served(apiVersion, kind), undefined);
  return `${served?.plural ?? kind.toLowerCase()}${group}`;
}
