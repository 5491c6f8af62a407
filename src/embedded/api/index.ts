export { createEmbeddedApi, type EmbeddedApiOptions, type StoringApi } from './embedded-api.ts';
export { createEmbeddedCluster } from './embedded-cluster.ts';
export type { StoredChange, StoredContent } from './store.ts';
