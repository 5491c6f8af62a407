import { describe, expect, it } from 'vitest';
import { proxyFor } from './proxy.ts';

const PROXY = 'http://p:3128';

describe('the proxy for a server', () => {
  it.each([
    ['https://api.example.com:6443', { HTTPS_PROXY: PROXY }, PROXY],
    ['https://api.example.com:6443', { https_proxy: PROXY }, PROXY],
    ['https://api.example.com:6443', { HTTPS_PROXY: 'p:3128' }, PROXY],
    ['https://api.example.com:6443', { HTTP_PROXY: PROXY }, undefined],
    ['http://api.example.com', { HTTP_PROXY: PROXY }, PROXY],
    ['https://api.example.com', { HTTPS_PROXY: '' }, undefined],
    ['https://api.example.com', { HTTPS_PROXY: ':::' }, undefined],
    ['https://api.example.com', {}, undefined],
    ['https://localhost:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://127.0.0.9:6443', { HTTPS_PROXY: PROXY }, undefined],
    ['https://[::1]:6443', { HTTPS_PROXY: PROXY }, undefined],
  ])('%s with %j is %s', (server, env, expected) => {
    const proxy = proxyFor(server, undefined, env);
    expect(proxy?.origin).toBe(expected);
  });

  it.each([
    ['https://api.example.com', '*', true],
    ['https://api.example.com', 'example.com', true],
    ['https://api.example.com', '.example.com', true],
    ['https://example.com', '.example.com', false],
    ['https://api.example.com', '*.example.com', true],
    ['https://example.com', '*.example.com', false],
    ['https://badexample.com', 'example.com', false],
    ['https://api.example.com', 'other, API.EXAMPLE.COM ,', true],
    ['https://api.example.com:6443', 'example.com:6443', true],
    ['https://api.example.com', 'example.com:443', true],
    ['http://api.example.com', 'example.com:80', true],
    ['https://api.example.com:6443', 'example.com:443', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.3:6443', '10.1.2.3:6443', true],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.0.0.0/33', false],
    ['https://10.1.2.3', '10.0.0.0/', false],
    ['https://10.1.2.3', 'fd00::/8', false],
    ['https://10.1.2.3', '2.3', false],
    ['https://[fd00::1]', 'fd00::/8', true],
    ['https://[fd00::1]', 'fd00::1', true],
    ['https://[fd00::1]:6443', '[fd00::1]:6443', true],
    ['https://api.example.com', '', false],
  ])('for %s and NO_PROXY "%s" is direct: %s', (server, noProxy, direct) => {
    const proxy = proxyFor(server, undefined, { HTTPS_PROXY: PROXY, HTTP_PROXY: PROXY, NO_PROXY: noProxy });
    expect(proxy === undefined).toBe(direct);
  });

  it('is what the kubeconfig says, whatever the environment', () => {
    expect(proxyFor('https://127.0.0.1', 'http://k:1', { HTTPS_PROXY: PROXY, NO_PROXY: '*' })?.host).toBe('k:1');
  });
});
