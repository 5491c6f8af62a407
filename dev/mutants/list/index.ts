import type { Mutant } from '../mutant.ts';
import { GRAPH } from './graph.ts';

/** Every planted fault; ids are unique. */
export const MUTANTS: readonly Mutant[] = [...GRAPH];
