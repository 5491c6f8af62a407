export { type SimulationHooks, simulationHooks } from './hooks.ts';
export { type Controllers, type ControllersOptions, startControllers } from './start.ts';
