import type { Authorizer } from './authorizer.ts';
import type { DiskCache } from './disk-cache.ts';
import type { RegistryClient } from './registry-client.ts';

/** What the fetching of any artifact needs. */
export interface FetchContext {
  readonly registry: RegistryClient;
  readonly authorizer: Authorizer;
  readonly cache: DiskCache;
  readonly signal?: AbortSignal | undefined;
}
