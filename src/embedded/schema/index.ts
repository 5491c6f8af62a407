export { applyDefaults, type ForbiddenNulls } from './apply-defaults.ts';
export { resourcesOfCrd } from './crd.ts';
export { crdProblems } from './crd-problems.ts';
export { openApiV2Document } from './openapi-v2.ts';
export { openApiV3Document } from './openapi-v3.ts';
export { pruneUnknown, unknownFields } from './prune.ts';
export { validateValue } from './validate-value.ts';
