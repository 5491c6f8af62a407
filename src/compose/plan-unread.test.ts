import { describe, expect, it } from 'vitest';
import { MemoryCluster } from '../../test/fakes/memory-cluster.ts';
import { KubepkgError } from '../api/errors.ts';
import { Unread } from './plan-unread.ts';

const FORBIDDEN = new KubepkgError('ApiForbidden', 'no');
const SILENT = new KubepkgError('ApiTimeout', 'the API server did not answer');
const STORE = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'store' };

describe('what could not be read', () => {
  it('is one finding, which names it, the rights that are missing, and what was tried again', async () => {
    const unread = new Unread();
    unread.note(STORE)(FORBIDDEN);
    unread.note({ ...STORE, name: 'app' })(FORBIDDEN);
    unread.note({ apiVersion: 'v1', kind: 'Secret', namespace: 'shop' })(FORBIDDEN);
    unread.note({ apiVersion: 'v1', kind: 'Namespace', name: 'shop' })(SILENT);
    unread.noteAll('the objects of component db')(SILENT);
    expect(await unread.findings(new MemoryCluster(), 'shop')).toEqual([
      {
        code: 'NotRead',
        severity: 'warning',
        subject: 'package shop',
        message:
          'may not be read: Deployment shop/app, Deployment shop/store, every Secret of namespace shop; could not be read, though it was tried again: Namespace shop, the objects of component db; the API server did not answer; what runs there is not known, and is taken to be as the last delivery left it',
        remedy:
          'plan with an account that may get deployments.apps in namespace shop, list secrets in namespace shop; plan again when the API server answers',
      },
    ]);
  });

  it.each(['ApiNotFound', 'KindNotServed'] as const)('is nothing that is said not to be there (%s)', async (code) => {
    const unread = new Unread();
    unread.note(STORE)(new KubepkgError(code, 'no'));
    expect(await unread.findings(new MemoryCluster(), 'shop')).toEqual([]);
  });
});
