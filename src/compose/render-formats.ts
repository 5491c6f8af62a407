/** What packages can be rendered as: the objects themselves, or those of a program that delivers them. */
export const RENDER_FORMATS = ['manifests', 'flux', 'argo', 'helmfile'] as const;

export type RenderFormat = (typeof RENDER_FORMATS)[number];
