import { describe, expect, it } from 'vitest';
import {
  annotated,
  atPhase,
  LOCATION,
  noteIn,
  recorded,
  specOf,
  statusOf,
  synced,
  withSpec,
  withStatus,
  written,
} from '../../../test/build/argocd.ts';
import { desiredRelease } from '../../../test/build/helm-release.ts';
import type { KubeObject } from '../../api/kube.ts';
import { at } from '../../lib/json.ts';
import { historyLimit } from './size.ts';

const REFRESH = 'argocd.argoproj.io/refresh';

describe('the Application of a release', () => {
  it('is complete', () => {
    expect(written()).toEqual({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        name: expect.stringMatching(/^shop-ns-web-[0-9a-f]{8}$/) as string,
        namespace: 'argocd',
        labels: { 'kubepkg.dev/package': 'shop', 'kubepkg.dev/component': 'web' },
        annotations: {
          'kubepkg.dev/attempt': 'token-2',
          'kubepkg.dev/digest': 'digest-2',
          'kubepkg.dev/instruction': expect.stringMatching(/^sha256:/) as string,
          'kubepkg.dev/history-before': '-1',
          'kubepkg.dev/instructed-at': '2026-01-01T00:00:00.000Z',
          'kubepkg.dev/chart-digest': 'sha256:0',
          'kubepkg.dev/objects': '{}',
          'kubepkg.dev/release-name': 'web',
          'kubepkg.dev/release-namespace': 'shop-ns',
        },
      },
      spec: {
        project: 'default',
        source: {
          repoURL: 'https://charts.example.com/stable',
          chart: 'web',
          targetRevision: '1.0.0',
          helm: { releaseName: 'web', valuesObject: { color: 'red' }, skipCrds: true, skipTests: true },
        },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop-ns' },
        syncPolicy: {
          syncOptions: [
            'ServerSideApply=true',
            'CreateNamespace=false',
            'FailOnSharedResource=true',
            'PrunePropagationPolicy=foreground',
          ],
        },
        revisionHistoryLimit: 10,
      },
      operation: {
        initiatedBy: { username: 'kubepkg' },
        info: [{ name: 'kubepkg.dev/attempt', value: 'token-2' }],
        sync: {
          revision: '1.0.0',
          prune: true,
          syncOptions: [
            'ServerSideApply=true',
            'CreateNamespace=false',
            'FailOnSharedResource=true',
            'PrunePropagationPolicy=foreground',
          ],
        },
      },
    });
  });

  it('F33 is applied on the server, which no annotation limits', () => {
    expect(at(written()['spec'], 'syncPolicy', 'syncOptions')).toContain('ServerSideApply=true');
  });

  it('F84 F85 F89 names a chart of a registry by its digest, whatever its name and version', () => {
    const location = {
      kind: 'oci',
      repository: 'oci://registry.example.com/team/charts/internal.my-chart',
      version: '1.2.3+up4',
      manifestDigest: 'sha256:abc',
    } as const;
    const application = written({ location });
    expect(specOf(application)['source']).toMatchObject({
      repoURL: 'oci://registry.example.com/team/charts/internal.my-chart',
      path: '.',
      targetRevision: 'sha256:abc',
    });
    expect(at(specOf(application), 'source', 'chart')).toBeUndefined();
    expect(at(application['operation'], 'sync', 'revision')).toBe('sha256:abc');
  });

  it('F84 F85 names one of a repository by name and version', () => {
    const location = { ...LOCATION, name: 'internal.my-chart', version: '1.2.3+up4' };
    const source = specOf(written({ location }))['source'];
    expect(source).toMatchObject({ chart: 'internal.my-chart', targetRevision: '1.2.3+up4' });
  });

  it('skips the validation of values when asked to', () => {
    const application = written({ release: { skipSchemaValidation: true } });
    expect(at(specOf(application), 'source', 'helm', 'skipSchemaValidation')).toBe(true);
  });
});

describe('an Application that is written again', () => {
  const live = synced();

  it('R8 has nothing of the source before', () => {
    const before = synced({ release: { values: { color: 'red', extra: true }, skipSchemaValidation: true } });
    const source = specOf(written({ live: before, release: { values: {} } }))['source'];
    expect(at(source, 'helm')).toEqual({ releaseName: 'web', valuesObject: {}, skipCrds: true, skipTests: true });
  });

  it('keeps what others set', () => {
    const theirs = withSpec(
      {
        ...live,
        metadata: {
          ...live.metadata,
          resourceVersion: '7',
          labels: { ...live.metadata.labels, team: 'a' },
          finalizers: ['example.org/x'],
        },
      },
      { ignoreDifferences: [{ kind: 'Deployment' }], info: [{ name: 'a', value: 'b' }], revisionHistoryLimit: 3 },
    );
    const next = written({ live: annotated(theirs, { 'example.org/note': 'keep' }) });
    expect(next.metadata).toMatchObject({
      resourceVersion: '7',
      labels: { team: 'a' },
      annotations: { 'example.org/note': 'keep' },
      finalizers: ['example.org/x'],
    });
    expect(specOf(next)).toMatchObject({
      ignoreDifferences: [{ kind: 'Deployment' }],
      info: [{ name: 'a', value: 'b' }],
      revisionHistoryLimit: 3,
    });
  });

  it('has neither sources nor a hydrator, which would take the place of the source', () => {
    const next = written({ live: withSpec(live, { sources: [{ repoURL: 'x' }], sourceHydrator: {} }) });
    expect(specOf(next)).not.toHaveProperty('sources');
    expect(specOf(next)).not.toHaveProperty('sourceHydrator');
  });

  it('keeps a history, whatever somebody chose', () => {
    expect(specOf(written({ live: withSpec(live, { revisionHistoryLimit: 0 }) }))['revisionHistoryLimit']).toBe(1);
  });

  it('puts automated sync aside, and keeps the rest of the policy', () => {
    const policy = { automated: { selfHeal: true }, retry: { limit: 3 }, syncOptions: ['Replace=true'] };
    const next = written({ live: withSpec(live, { syncPolicy: policy }) });
    expect(noteIn(next, 'automated')).toBe('{"selfHeal":true}');
    expect(at(specOf(next), 'syncPolicy')).toMatchObject({ retry: { limit: 3 } });
    expect(at(specOf(next), 'syncPolicy', 'automated')).toBeUndefined();
    expect(at(specOf(next), 'syncPolicy', 'syncOptions')).not.toContain('Replace=true');
  });

  it('does not forget what was put aside and not given back', () => {
    const next = written({ live: withSpec(live, { syncPolicy: { automated: { prune: true } } }) });
    expect(noteIn(written({ live: next }), 'automated')).toBe('{"prune":true}');
  });

  it('takes away the state of the last operation, which Argo CD would merge the next one into', () => {
    expect(statusOf(written({ live }))).not.toHaveProperty('operationState');
    expect(statusOf(written({ live }))).toHaveProperty('history');
  });

  it('R4 takes away errors about the source before, which would fail the next operation', () => {
    const conditions = ['InvalidSpecError', 'ComparisonError', 'SharedResourceWarning'].map((type) => ({ type }));
    expect(statusOf(written({ live: withStatus(live, { conditions }) }))['conditions']).toEqual([
      { type: 'SharedResourceWarning' },
    ]);
  });

  it('R4 remembers the newest sync before it', () => {
    expect(noteIn(written({ live: recorded(live, 4) }), 'before')).toBe('4');
  });

  it('is no longer stopped', () => {
    expect(noteIn(written({ live: annotated(live, { 'kubepkg.dev/stopped': 'token-1' }) }), 'stopped')).toBeUndefined();
  });
});

describe('what Argo CD remembers of a chart', () => {
  const refresh = (application: KubeObject): string | undefined => application.metadata.annotations?.[REFRESH];
  const another = { chart: { ...desiredRelease().chart, digest: 'sha256:1' } };

  it('is asked for afresh when another chart has the same version', () => {
    expect(refresh(written({ live: synced(), release: another }))).toBe('hard');
  });

  it('is asked for afresh after an error, which it keeps for an hour', () => {
    const message = 'ComparisonError: Failed to load target state: not found';
    expect(refresh(written({ live: atPhase(written(), 'Error', { message }) }))).toBe('hard');
  });

  it('is good enough otherwise', () => {
    expect(refresh(written({ live: synced() }))).toBeUndefined();
    const location = { ...LOCATION, version: '2.0.0' };
    expect(refresh(written({ live: synced(), release: another, location }))).toBeUndefined();
  });
});

describe('the history of an Application', () => {
  const withBytes = (bytes: number): ReturnType<typeof desiredRelease> =>
    desiredRelease({ values: { text: 'x'.repeat(bytes) } });

  it.each<[string, number, number | undefined, number]>([
    ['is as long as usual', 100, undefined, 10],
    ['is as long as somebody chose', 100, 3, 3],
    ['is shorter where values are long, so that the Application fits into the API server', 100_000, undefined, 5],
    ['has one record at least', 150_000, 0, 1],
  ])('%s', (_, bytes, chosen, limit) => {
    expect(historyLimit(withBytes(bytes), chosen)).toBe(limit);
  });

  it('has no room for values that are longer still', () => {
    expect(() => historyLimit(withBytes(300_000))).toThrow(
      expect.objectContaining({ code: 'ReleaseTooLarge' }) as Error,
    );
  });
});
