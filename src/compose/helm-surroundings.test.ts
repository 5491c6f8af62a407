import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { helmSurroundings, plainEnvironment } from './helm-surroundings.ts';

describe('what helm knows of its surroundings', () => {
  it.each([
    [
      'the way to programs, out and to the API server',
      { PATH: '/bin', https_proxy: 'http://p', KUBERNETES_SERVICE_HOST: 'h' },
    ],
  ])('is %s', (_what, env) => {
    expect(helmSurroundings({ env: { ...env, HOME: '/home/k' } }).environment).toEqual({ ...env, HOME: '/home/k' });
  });

  const folder = mkdtempSync(join(tmpdir(), 'kubepkg-surroundings-'));
  const kubeconfig = join(folder, 'config');
  const plugin = '{apiVersion: client.authentication.k8s.io/v1, command: get-token, interactiveMode: Never}';
  const context = (name: string): string => `{name: ${name}, context: {cluster: c, user: ${name}}}`;
  writeFileSync(
    kubeconfig,
    `{current-context: plugin, clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}],
      contexts: [${context('plugin')}, ${context('token')}, ${context('gone')}],
      users: [{name: plugin, user: {exec: ${plugin}}}, {name: token, user: {token: t}}]}`,
  );
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const CREDENTIALS = {
    AWS_PROFILE: 'work',
    AWS_ACCESS_KEY_ID: 'id',
    AZURE_CLIENT_ID: 'client',
    GOOGLE_APPLICATION_CREDENTIALS: '/key.json',
    CLOUDSDK_CONFIG: '/gcloud',
    LANG: 'C',
  };
  const KEPT_BACK = {
    ...{ HELM_NAMESPACE: 'x', HELM_DEBUG: '1', KUBEPKG_TOKEN: 'secret', KUBECACHEDIR: '/x', KUBE_EDITOR: 'vi' },
    ...{ NODE_OPTIONS: '-r x', LD_PRELOAD: 'x', DYLD_INSERT_LIBRARIES: 'x', GODEBUG: 'x', GOGC: '1', BASH_ENV: 'x' },
  };

  it('is all that a credential plugin of the kubeconfig may go by, and nothing that would change helm', () => {
    const env = { PATH: '/bin', HOME: '/home/k', ...CREDENTIALS, ...KEPT_BACK };
    const passed = { PATH: '/bin', HOME: '/home/k', ...CREDENTIALS };
    expect(helmSurroundings({ kubeconfig, env }).environment).toEqual(passed);
    const listed = helmSurroundings({ env: { ...env, KUBECONFIG: kubeconfig } });
    expect(listed).toEqual({ kubeconfig, kubeContext: undefined, environment: passed });
  });

  it.each([
    ['the user of the context has no plugin', { kubeconfig, context: 'token' }],
    ['the context has a user who is not there', { kubeconfig, context: 'gone' }],
    ['there is no such context', { kubeconfig, context: 'other' }],
    ['there is no such kubeconfig', { kubeconfig: join(folder, 'none') }],
    ['it runs in a pod', {}],
  ])('is nothing of that where %s', (_where, choice) => {
    const { environment } = helmSurroundings({ ...choice, env: { HOME: folder, ...CREDENTIALS, ...KEPT_BACK } });
    expect(environment).toEqual({ HOME: folder });
  });

  it('is nothing of that where no cluster is reached', () => {
    const env = { KUBECONFIG: kubeconfig, HOME: folder, ...CREDENTIALS, ...KEPT_BACK };
    expect(plainEnvironment(env)).toEqual({ HOME: folder });
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
