import { type PushedTree, pushTree } from '../adapters/oci/index.ts';
import { createCommandRunner } from '../adapters/process/command-runner.ts';
import type { Clock } from '../ports/system.ts';

export type { PushedTree };

/** What `kubepkg push` was told. */
export interface PushRequest {
  /** Folder of the package tree. */
  readonly directory: string;
  /** `oci://host/repository:tag`, or without the scheme. */
  readonly reference: string;
  readonly plainHttp: boolean;
  readonly registryConfig?: string | undefined;
  readonly caFile?: string | undefined;
  /** `org.opencontainers.image.source` and `.revision`. */
  readonly source?: string | undefined;
  readonly revision?: string | undefined;
  /** Whether a tag that names other content is moved. */
  readonly force: boolean;
}

export interface PushSettings {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Pushes a package tree; credential helpers of the Docker configuration are run when they are needed. */
export function pushPackageTree(request: PushRequest, { clock, env }: PushSettings): Promise<PushedTree> {
  const { directory, reference, force, ...options } = request;
  const otherwise = force ? undefined : 'push it under another tag, or move this one with --force';
  return pushTree(directory, reference, { ...options, otherwise, env, commands: createCommandRunner({ clock }) });
}
