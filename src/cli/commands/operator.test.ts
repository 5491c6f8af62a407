import { describe, expect, it } from 'vitest';
import { CliWorld } from '../../../test/fakes/cli-world.ts';

describe('kubepkg operator', () => {
  it('runs with defaults', async () => {
    const world = new CliWorld();
    expect(await world.run('operator')).toBe(0);
    expect(world.operators).toEqual([
      {
        backend: 'helm',
        plainHttp: false,
        namespace: 'kubepkg-system',
        argoNamespace: 'argocd',
        argoProject: 'default',
        argoInlineSecretValues: false,
        chartsBindAddress: '',
        metricsBindAddress: ':8080',
        healthProbeBindAddress: ':8081',
        leaderElect: true,
        logFormat: 'json',
        logLevel: 'info',
      },
    ]);
  });

  it('hands every flag on', async () => {
    const world = new CliWorld();
    const paths = ['--cache-dir', 'c', '--helm', 'h', '--registry-config', 'r', '--registry-ca-file', 'a'];
    const addresses = ['--metrics-bind-address', '0', '--health-probe-bind-address', '[::1]:9000'];
    const platform = [
      '--values-secret',
      'ops/values',
      '--namespace-label',
      'example.org/team=a',
      '--namespace-label',
      'b=',
    ];
    const url = 'https://charts.test:8082/x/charts';
    const charts = ['--charts-bind-address', ':8082', '--charts-url', url];
    const controllers = [
      '--flux-pull-secret',
      'pull',
      '--argo-namespace',
      'gitops',
      '--argo-project',
      'apps',
      '--argo-inline-secret-values',
    ];
    const others = [
      '--package-workers',
      '8',
      '--leader-elect=false',
      '--plain-http',
      '--namespace',
      'n',
      '--context',
      'x',
    ];
    expect(
      await world.run(
        'operator',
        ...paths,
        ...addresses,
        ...platform,
        ...charts,
        ...controllers,
        ...others,
        '--log-format',
        'text',
        '--log-level',
        'debug',
      ),
    ).toBe(0);
    expect(world.operators[0]).toEqual({
      context: 'x',
      backend: 'helm',
      cacheDir: 'c',
      helm: 'h',
      registryConfig: 'r',
      registryCaFile: 'a',
      packageWorkers: 8,
      valuesSecret: { namespace: 'ops', name: 'values' },
      namespaceLabels: { 'example.org/team': 'a', b: '' },
      plainHttp: true,
      namespace: 'n',
      chartsBindAddress: ':8082',
      chartsUrl: url,
      fluxPullSecret: 'pull',
      argoNamespace: 'gitops',
      argoProject: 'apps',
      argoInlineSecretValues: true,
      metricsBindAddress: '0',
      healthProbeBindAddress: '[::1]:9000',
      leaderElect: false,
      logFormat: 'text',
      logLevel: 'debug',
    });
  });
});

describe('kubepkg operator --backend', () => {
  it.each(['helm', 'flux', 'argocd'])('takes %s', async (backend) => {
    const world = new CliWorld();
    expect(await world.run('operator', '--backend', backend)).toBe(0);
    expect(world.operators[0]?.backend).toBe(backend);
  });

  it('takes the name that the Go implementation has for one, and does not offer it', async () => {
    const world = new CliWorld();
    expect(await world.run('operator', '--backend', 'argo')).toBe(0);
    expect(world.operators[0]?.backend).toBe('argocd');
    await world.run('operator', '--help');
    expect(world.stdout.text.replaceAll(/\s+/g, ' ')).toContain('(choices: "helm", "flux", "argocd", default: "helm")');
  });
});
