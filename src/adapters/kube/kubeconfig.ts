import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { KubepkgError } from '../../api/errors.ts';
import type { ClusterAccess } from './access.ts';
import { clusterOf } from './kubeconfig-cluster.ts';
import { type KubeconfigFile, readKubeconfigFile } from './kubeconfig-file.ts';
import type { KubeconfigSection } from './kubeconfig-section.ts';
import { impersonationOf, userOf } from './kubeconfig-user.ts';

export interface KubeconfigChoice {
  /** Alone, and it must exist; absent: KUBECONFIG, otherwise ~/.kube/config. */
  readonly file?: string | undefined;
  readonly context?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Several files seen as one: of everything that is named, the first file that has it wins. */
export interface Kubeconfig {
  readonly files: readonly string[];
  readonly currentContext: string | undefined;
  context(name: string): KubeconfigSection | undefined;
  cluster(name: string): KubeconfigSection | undefined;
  user(name: string): KubeconfigSection | undefined;
}

/** Undefined when none of the files exists, or all are empty. */
export function loadKubeconfig(choice: KubeconfigChoice): Kubeconfig | undefined {
  const files = kubeconfigPaths(choice).flatMap((path) => {
    const file = readKubeconfigFile(path);
    return file === undefined ? [] : [file];
  });
  if (choice.file !== undefined && files.length === 0) {
    throw new KubepkgError('KubeconfigInvalid', `there is no file ${choice.file}`, {
      hint: 'give the path of a kubeconfig with --kubeconfig',
    });
  }
  if (!files.every(isEmpty)) return merge(files);
  // One that is named was meant.
  if (choice.file === undefined) return undefined;
  throw new KubepkgError('KubeconfigInvalid', `${choice.file} is no kubeconfig: it names no cluster, context or user`, {
    hint: 'give the path of a kubeconfig with --kubeconfig',
  });
}

function kubeconfigPaths(choice: KubeconfigChoice): readonly string[] {
  if (choice.file !== undefined) return [choice.file];
  const listed = (choice.env['KUBECONFIG'] ?? '').split(delimiter).filter((path) => path !== '');
  if (listed.length > 0) return listed;
  return [join(choice.env['HOME'] ?? homedir(), '.kube', 'config')];
}

function isEmpty(file: KubeconfigFile): boolean {
  return file.currentContext === undefined && file.clusters.size + file.contexts.size + file.users.size === 0;
}

function merge(files: readonly KubeconfigFile[]): Kubeconfig {
  const first = <T>(pick: (file: KubeconfigFile) => T | undefined): T | undefined => {
    for (const file of files) {
      const found = pick(file);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return {
    files: files.map((file) => file.file),
    currentContext: first((file) => file.currentContext),
    context: (name) => first((file) => file.contexts.get(name)),
    cluster: (name) => first((file) => file.clusters.get(name)),
    user: (name) => first((file) => file.users.get(name)),
  };
}

/** What the chosen context says, checked as far as it can be without asking the server. */
export function accessOf(config: Kubeconfig, contextName: string | undefined): ClusterAccess {
  const name = contextName ?? config.currentContext;
  const where = config.files.join(', ');
  if (name === undefined) {
    throw new KubepkgError('KubeconfigInvalid', `${where}: current-context is not set`, {
      hint: 'choose one with --context, or "kubectl config use-context NAME"',
    });
  }
  const context = config.context(name);
  if (context === undefined) {
    throw new KubepkgError('KubeconfigInvalid', `${where}: there is no context "${name}"`, {
      hint: 'choose another with --context; "kubectl config get-contexts" lists them',
    });
  }
  const cluster = referred(context, 'cluster', config.cluster(context.required('cluster')));
  const userName = context.string('user');
  const user = userName === undefined ? undefined : referred(context, 'user', config.user(userName));
  const impersonate = user === undefined ? undefined : impersonationOf(user);
  return {
    ...clusterOf(cluster),
    namespace: context.string('namespace') ?? 'default',
    origin: `context "${name}" of ${context.file}`,
    user: user === undefined ? {} : userOf(user, cluster),
    ...(impersonate === undefined ? {} : { impersonate }),
  };
}

function referred(context: KubeconfigSection, field: string, found: KubeconfigSection | undefined): KubeconfigSection {
  if (found !== undefined) return found;
  const name = context.string(field) ?? '';
  throw context.invalid(
    field,
    `names the ${field} "${name}", which does not exist`,
    `add it to ${field}s, or name another`,
  );
}
