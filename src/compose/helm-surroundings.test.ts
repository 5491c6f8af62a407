import { homedir } from 'node:os';
import { describe, expect, it } from 'vitest';
import { helmSurroundings } from './helm-surroundings.ts';

describe('what helm knows of its surroundings', () => {
  it.each([
    [
      'the way to programs, out and to the API server',
      { PATH: '/bin', https_proxy: 'http://p', KUBERNETES_SERVICE_HOST: 'h' },
    ],
  ])('is %s', (_what, env) => {
    expect(helmSurroundings({ env: { ...env, HOME: '/home/k' } }).environment).toEqual({ ...env, HOME: '/home/k' });
  });

  it('is none of our other variables', () => {
    const env = { HELM_NAMESPACE: 'x', KUBEPKG_TOKEN: 'secret', NODE_OPTIONS: '-r x', LD_PRELOAD: 'x' };
    expect(helmSurroundings({ env }).environment).toEqual({ HOME: homedir() });
  });

  it.each([
    ['the flag', { kubeconfig: '/a', env: { KUBECONFIG: '/b' } }, '/a'],
    ['KUBECONFIG, with all its files', { env: { KUBECONFIG: '/b:/c' } }, '/b:/c'],
    ['nothing, when KUBECONFIG is empty', { env: { KUBECONFIG: '' } }, undefined],
    ['nothing', { env: {} }, undefined],
  ])('the kubeconfig is that of %s', (_what, choice, kubeconfig) => {
    expect(helmSurroundings(choice).kubeconfig).toBe(kubeconfig);
  });
});
