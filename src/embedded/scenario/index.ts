export { parseScenario } from './parse.ts';
export { rulesOf, watchRules } from './unused-rules.ts';
export { CALM_SCENARIO, type PodRule, type Scenario } from './types.ts';
