import type { Mutant } from '../mutant.ts';
import { CLASSIFICATION } from './classification.ts';
import { DECISION } from './decision.ts';
import { ENGINE } from './engine.ts';
import { GRAPH } from './graph.ts';
import { HELM } from './helm.ts';
import { READINESS } from './readiness.ts';
import { STATUS } from './status.ts';

/** Every planted fault; ids are unique. */
export const MUTANTS: readonly Mutant[] = [
  ...GRAPH,
  ...CLASSIFICATION,
  ...DECISION,
  ...READINESS,
  ...STATUS,
  ...ENGINE,
  ...HELM,
];
