import type { Mutant } from '../mutant.ts';
import { ARGOCD } from './argocd.ts';
import { CEL } from './cel.ts';
import { CLASSIFICATION } from './classification.ts';
import { CLI } from './cli.ts';
import { CONTROLLERS } from './controllers.ts';
import { DECISION } from './decision.ts';
import { ENGINE } from './engine.ts';
import { EVIDENCE } from './evidence.ts';
import { FAILURE } from './failure.ts';
import { FLUX } from './flux.ts';
import { FORMER_JOBS } from './former-jobs.ts';
import { GRAPH } from './graph.ts';
import { HELM_OBJECTS } from './helm-objects.ts';
import { HELM } from './helm.ts';
import { HOOKS } from './hooks.ts';
import { PASSING_OBJECTS } from './passing-objects.ts';
import { OUTSIDE } from './outside.ts';
import { PREVIEW } from './preview.ts';
import { READINESS_EVIDENCE } from './readiness-evidence.ts';
import { READINESS_KINDS } from './readiness-kinds.ts';
import { READINESS } from './readiness.ts';
import { REMOVAL } from './removal.ts';
import { REQUIREMENTS } from './requirements.ts';
import { ROLLBACK } from './rollback.ts';
import { STATUS } from './status.ts';
import { SURROUNDINGS } from './surroundings.ts';
import { UPKEEP } from './upkeep.ts';

/** Every planted fault; ids are unique. */
export const MUTANTS: readonly Mutant[] = [
  ...GRAPH,
  ...CLASSIFICATION,
  ...CONTROLLERS,
  ...DECISION,
  ...FAILURE,
  ...HOOKS,
  ...FORMER_JOBS,
  ...ROLLBACK,
  ...PASSING_OBJECTS,
  ...REMOVAL,
  ...REQUIREMENTS,
  ...SURROUNDINGS,
  ...READINESS,
  ...READINESS_EVIDENCE,
  ...READINESS_KINDS,
  ...CEL,
  ...EVIDENCE,
  ...STATUS,
  ...ENGINE,
  ...UPKEEP,
  ...HELM,
  ...HELM_OBJECTS,
  ...FLUX,
  ...ARGOCD,
  ...OUTSIDE,
  ...PREVIEW,
  ...CLI,
];
