export { parseScenario } from './parse.ts';
export { watchRules } from './unused-rules.ts';
export { CALM_SCENARIO, type PodRule, type Scenario } from './types.ts';
