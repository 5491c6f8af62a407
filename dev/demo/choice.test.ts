import { describe, expect, it } from 'vitest';
import { chooseCluster } from './choice.ts';

describe('the cluster of the demo', () => {
  it.for([
    ['embedded when nothing is said', {}, { kind: 'embedded' }],
    ['embedded when variables are empty', { CLUSTER: '', BACKEND: '', KUBECONFIG: '' }, { kind: 'embedded' }],
    ['embedded when asked for', { CLUSTER: 'embedded', KUBECONFIG: '/k' }, { kind: 'embedded' }],
    ['real when asked for', { CLUSTER: 'real' }, { kind: 'real', backend: 'helm' }],
    [
      'real and not somebody’s when asked for',
      { CLUSTER: 'real', KUBECONFIG: '/k' },
      { kind: 'real', backend: 'helm' },
    ],
    ['real for Flux', { BACKEND: 'flux' }, { kind: 'real', backend: 'flux' }],
    ['real for Argo CD', { BACKEND: 'argocd', CLUSTER: 'real' }, { kind: 'real', backend: 'argocd' }],
    ['somebody’s when there is one', { KUBECONFIG: '/k' }, { kind: 'borrowed', kubeconfig: '/k' }],
    ['embedded for helm', { BACKEND: 'helm' }, { kind: 'embedded' }],
  ] as const)('is %s', ([, env, choice]) => {
    expect(chooseCluster(env)).toEqual(choice);
  });

  it.for([
    [{ CLUSTER: 'kind' }, 'none of embedded, real'],
    [{ BACKEND: 'kustomize' }, 'none of helm, flux, argocd'],
    [{ BACKEND: 'flux', CLUSTER: 'embedded' }, 'leave CLUSTER away'],
    [{ BACKEND: 'flux', KUBECONFIG: '/k' }, 'unset KUBECONFIG'],
  ] as const)('cannot be %j', ([env, message]) => {
    expect(() => chooseCluster(env)).toThrow(message);
  });
});
