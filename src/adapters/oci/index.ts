export { createArtifactSource, type OciArtifacts } from './artifact-source.ts';
export { type PushedTree, pushTree } from './push-tree.ts';
