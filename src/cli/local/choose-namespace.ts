import { KubepkgError } from '../../api/errors.ts';
import { type GlobalFlags, withCluster } from '../commands/context.ts';
import type { CliHost } from '../host.ts';
import { awaitRenewal, findLeases, ifAllowed } from '../install/operator-lease.ts';

export interface NamespaceWords extends GlobalFlags {
  readonly namespace: string;
  readonly leaderElect: boolean;
}

/**
 * Where the Lease is to be taken: in another namespace it would keep nobody out. Fails while an operator works from
 * another one; one that is dead or stopped leaves its place to this one, unless the user names another.
 */
export function chooseNamespace(host: CliHost, words: NamespaceWords, isGiven: boolean): Promise<string> {
  const { namespace } = words;
  // Whoever does without the Lease says that there is nobody else.
  if (!words.leaderElect) return Promise.resolve(namespace);
  return withCluster(host, words, async ({ cluster }) => {
    // Who may not read any Lease hears from the election what is missing.
    const leases = (await ifAllowed(() => findLeases(cluster))) ?? [];
    const elsewhere = leases.filter((lease) => lease.namespace !== namespace);
    const living = await awaitRenewal(host, cluster, elsewhere);
    if (living !== undefined) throw atWork(living.holder, living.namespace);
    const isOursKnown = isGiven || elsewhere.length < leases.length;
    return isOursKnown ? namespace : (elsewhere[0]?.namespace ?? namespace);
  });
}

/** Another one does what the command asks for. */
export function atWork(holder: string, namespace: string): KubepkgError {
  const message = `an operator is at work in this cluster: ${holder} holds its Lease in namespace ${namespace}`;
  return new KubepkgError('InvalidInput', message, {
    hint: 'leave out --local: that operator does what you ask for',
  });
}
