import { describe, expect, it, vi } from 'vitest';
import { openWorkshop } from '../../test/controlplane/workshop.ts';
import { main } from './cli.ts';

async function run(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const stdout = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    out += String(text);
    return true;
  });
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    err += String(text);
    return true;
  });
  try {
    return { code: await main(args), out, err };
  } finally {
    stdout.mockRestore();
    stderr.mockRestore();
  }
}

describe('the command line', () => {
  it('explains itself when asked', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('controlplane start') as string,
    });
  });

  it('refuses an unknown command', async () => {
    expect(await run('stop')).toMatchObject({ code: 2, err: expect.stringContaining('Usage:') as string });
  });

  it('names the parts when one is unknown', async () => {
    const { code, err } = await run('prepare', 'etcdd');
    expect(code).toBe(1);
    expect(err).toBe(
      'Error: There is no part "etcdd".\nParts are: helm, kubectl, etcd, registry, kube-apiserver, kube-controller-manager, kube-scheduler, kwok, flux-crds, source-controller, argocd-crds, redis, argocd.\n',
    );
  });

  it('prepares Argo CD and Flux by their flags, beside what is named', async () => {
    const workshop = await openWorkshop();
    for (const [name, value] of Object.entries(workshop.env)) vi.stubEnv(name, value);
    const { code, out } = await run('prepare', '--flux', '--argocd', 'kwok');
    vi.unstubAllEnvs();
    await workshop.close();
    expect(code).toBe(0);
    expect(out.match(/^\S+/gm)).toEqual(['kwok', 'flux-crds', 'source-controller', 'argocd-crds', 'redis', 'argocd']);
  });

  it.each(['--nodes=many', '--nodes', '--logs=', '--registri', '--argocd=yes', '--flux='])(
    'refuses the flag %s of start',
    async (flag) => {
      const { code, err } = await run('start', flag);
      expect(code).toBe(1);
      expect(err).toContain(`"${flag}" is not a flag of start.`);
    },
  );
});
