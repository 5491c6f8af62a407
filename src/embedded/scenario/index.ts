export { parseScenario } from './parse.ts';
export { CALM_SCENARIO, type PodRule, type Scenario } from './types.ts';
