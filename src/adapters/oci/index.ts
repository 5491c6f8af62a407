export { type ArtifactSourceOptions, createArtifactSource } from './artifact-source.ts';
export { type PushedTree, type PushOptions, pushTree } from './push-tree.ts';
