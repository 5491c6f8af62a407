import { describe, expect, it } from 'vitest';
import { desiredRelease } from '../../test/build/helm-release.ts';
import { translatePreview } from './helm-call.ts';
import { type HelmVersion, isSupported, parseHelmVersion } from './helm-version.ts';

const HELM_4: HelmVersion = { text: 'v4.1.4', major: 4, minor: 1 };
const HELM_3: HelmVersion = { text: 'v3.14.0', major: 3, minor: 14 };

describe('a preview', () => {
  it('is rendered without hooks and changes nothing', () => {
    const call = translatePreview(desiredRelease(), { isUpgrade: true, onServer: true, version: HELM_4 });
    expect(call.args.join(' ')).toBe(
      'template web /cache/web-1.0.0.tgz --namespace shop-ns --values - --no-hooks --is-upgrade --dry-run=server',
    );
  });

  it.each<[boolean, HelmVersion, string]>([
    [false, HELM_4, '--no-hooks --include-crds'],
    [true, HELM_4, '--no-hooks --dry-run=server --include-crds --take-ownership'],
    [true, HELM_3, '--no-hooks --dry-run=server --include-crds'],
  ])('of CRDs (on the server: %s) with helm %o ends in %s', (onServer, version, end) => {
    const mode = { isUpgrade: false, withCrds: true, onServer, version };
    expect(translatePreview(desiredRelease(), mode).args.join(' ').endsWith(`--values - ${end}`)).toBe(true);
  });
});

describe('the version of helm', () => {
  it.each([
    ['v4.1.4', { text: 'v4.1.4', major: 4, minor: 1 }, true],
    ['v3.17.2+gcc0bbbd', { text: 'v3.17.2+gcc0bbbd', major: 3, minor: 17 }, true],
    ['v3.14.0', { text: 'v3.14.0', major: 3, minor: 14 }, true],
    ['v3.13.3', { text: 'v3.13.3', major: 3, minor: 13 }, false],
    ['v2.17.0', { text: 'v2.17.0', major: 2, minor: 17 }, false],
    ['v5.0.0', { text: 'v5.0.0', major: 5, minor: 0 }, false],
  ])('%s is %o, supported: %s', (output, version, supported) => {
    const parsed = parseHelmVersion(output);
    expect(parsed).toEqual(version);
    expect(parsed !== undefined && isSupported(parsed)).toBe(supported);
  });

  it('is not in a text without one', () => {
    expect(parseHelmVersion('command not found')).toBeUndefined();
  });
});
