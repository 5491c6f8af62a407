import { describe, expect, it } from 'vitest';
import type { HelmTrafficPlace } from './helm-traffic.ts';
import { helmTraffic } from './helm-traffic.ts';

describe('the steps of helm', () => {
  it.each([
    [
      'POST',
      '/api/v1/namespaces/blog/secrets?x=y',
      'sh.helm.release.v1.web.v1',
      'helm creates secrets blog/sh.helm.release.v1.web.v1',
    ],
    ['PATCH', '/apis/apps/v1/namespaces/blog/deployments/web', undefined, 'helm patches deployments blog/web'],
    ['DELETE', '/api/v1/namespaces/blog', undefined, 'helm deletes namespaces blog'],
  ])('%s %s is told with the name of its object', async (method, path, created, text) => {
    const steps: string[] = [];
    const take = (step: string): void => {
      steps.push(step);
    };
    const place = { steps: { take } } as unknown as HelmTrafficPlace;
    await helmTraffic(place).written({ method, path, created, userAgent: 'Helm' });
    expect(steps).toEqual([text]);
  });
});
