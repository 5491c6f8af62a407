export { type Hooks, simulationHooks } from './hooks.ts';
export type { LogDeed, StoredLogs } from './pods/log-book.ts';
export { type Controllers, startControllers } from './start.ts';
