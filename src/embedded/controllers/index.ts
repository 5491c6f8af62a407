export { simulationHooks } from './hooks.ts';
export { type Controllers, startControllers } from './start.ts';
