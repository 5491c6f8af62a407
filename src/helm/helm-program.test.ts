import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KubepkgError } from '../api/errors.ts';
import type { Command, CommandResult, CommandRunner } from '../ports/process.ts';
import { HelmProgram, helmEnvironment } from './helm-program.ts';

const OPTIONS = { binary: 'helm', environment: { PATH: '/bin' } };

function programWith(...answers: readonly (Partial<CommandResult> | Error)[]): {
  program: HelmProgram;
  asked: Command[];
} {
  const asked: Command[] = [];
  const runner: CommandRunner = {
    run: (command) => {
      asked.push(command);
      const answer = answers[Math.min(asked.length, answers.length) - 1];
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ exitCode: 0, stdout: '', stderr: '', ...answer });
    },
  };
  return { program: new HelmProgram(runner, OPTIONS, join(tmpdir(), 'kubepkg-helm-program')), asked };
}

describe('the environment of helm', () => {
  it('has nothing of helm from outside, and folders of ours', () => {
    const environment = { PATH: '/bin', HOME: '/root', HELM_NAMESPACE: 'x', HELM_DRIVER: 'sql', KUBECONFIG: '/other' };
    expect(helmEnvironment({ binary: 'helm', environment, kubeconfig: '/kc' }, '/tmp/ours')).toEqual({
      PATH: '/bin',
      HOME: '/root',
      KUBECONFIG: '/kc',
      HELM_DRIVER: 'secret',
      HELM_CACHE_HOME: '/tmp/ours/cache',
      HELM_CONFIG_HOME: '/tmp/ours/config',
      HELM_DATA_HOME: '/tmp/ours/data',
      HELM_PLUGINS: '/tmp/ours/plugins',
      KUBECACHEDIR: '/tmp/ours/kube-cache',
      GOGC: 'off',
      GOMEMLIMIT: '192MiB',
    });
  });

  it('has no kubeconfig inside a cluster, and a home of ours where none is given', () => {
    const environment = helmEnvironment(OPTIONS, '/tmp/ours');
    expect(environment['KUBECONFIG']).toBeUndefined();
    expect(environment['HOME']).toBe('/tmp/ours');
  });
});

describe('the version of helm', () => {
  it('is asked once', async () => {
    const { program, asked } = programWith({ stdout: 'v4.1.4' });
    await Promise.all([program.version(), program.version()]);
    expect((await program.version()).text).toBe('v4.1.4');
    expect(asked.map(({ args }) => args)).toEqual([['version', '--template', '{{.Version}}']]);
  });

  it.each<[string, Partial<CommandResult> | Error]>([
    ['there is no helm', new KubepkgError('NotFound', 'no such program')],
    ['it is too old', { stdout: 'v3.13.0' }],
    ['it is another program', { stdout: 'hello' }],
    ['it fails', { exitCode: 1, stdout: 'v4.1.4' }],
  ])('is HelmNotFound with a remedy when %s, and is asked again', async (_, answer) => {
    const { program } = programWith(answer, { stdout: 'v4.1.4' });
    await expect(program.version()).rejects.toMatchObject({ code: 'HelmNotFound', hint: expect.any(String) as string });
    await expect(program.version()).resolves.toMatchObject({ major: 4 });
  });
});

describe('a helm that cannot be started', () => {
  it.each([
    ['for want of a process', new KubepkgError('Internal', 'cannot start helm: EAGAIN'), 'HelmKilled'],
    ['on a full disk', new KubepkgError('DiskFull', 'full'), 'DiskFull'],
  ])('%s is tried again', async (_, error, code) => {
    const { program } = programWith(error);
    await expect(program.run({ args: [] })).rejects.toMatchObject({ code, class: 'transient' });
  });
});
