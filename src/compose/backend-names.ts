/** Backends that this program has, the default one first. */
export const BACKENDS = ['helm', 'flux', 'argocd'] as const;
export const DEFAULT_BACKEND = BACKENDS[0];

/** As the Go implementation calls them. */
const FORMER_NAMES: Readonly<Record<string, string>> = { argo: 'argocd' };

/** The backend that somebody means by a word; undefined: this program has none of that name. */
export function backendNamed(word: string): (typeof BACKENDS)[number] | undefined {
  const name = FORMER_NAMES[word] ?? word;
  return BACKENDS.find((backend) => backend === name);
}

/** Where Argo CD keeps Applications, and the project that is there from the start. */
export const ARGO_NAMESPACE = 'argocd';
export const ARGO_PROJECT = 'default';
