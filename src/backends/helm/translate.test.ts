import { describe, expect, it } from 'vitest';
import { desiredRelease, TARGET } from '../../../test/build/helm-release.ts';
import type { DeliveryMode } from '../../helm/helm-call.ts';
import type { HelmVersion } from '../../helm/helm-version.ts';
import { translateDelivery, translateUninstall } from './translate.ts';

const HELM_4: HelmVersion = { text: 'v4.1.4', major: 4, minor: 1 };
const HELM_3: HelmVersion = { text: 'v3.14.0', major: 3, minor: 14 };
const LABELS =
  'kubepkg.dev/package=shop,kubepkg.dev/component=web,kubepkg.dev/attempt=token-2,kubepkg.dev/digest=digest-2';

function delivery(mode: DeliveryMode, shape: Parameters<typeof desiredRelease>[0] = {}, version = HELM_4): string {
  return translateDelivery(desiredRelease(shape), mode, { version, historyMax: 10 }).args.join(' ');
}

describe('a delivery', () => {
  const common = `--namespace shop-ns --values - --timeout 24h --labels ${LABELS} --disable-openapi-validation`;
  const applied = '--server-side=true --force-conflicts --hide-notes';

  it.each<[DeliveryMode, string]>([
    ['install', `install web /cache/web-1.0.0.tgz ${common} --skip-crds ${applied}`],
    ['replace', `install web /cache/web-1.0.0.tgz ${common} --skip-crds --replace ${applied}`],
    ['upgrade', `upgrade web /cache/web-1.0.0.tgz ${common} --reset-values --history-max 10 ${applied}`],
  ])('by %s with helm 4', (mode, line) => {
    expect(delivery(mode)).toBe(line);
  });

  it('with helm 3 has none of the flags of later ones', () => {
    expect(delivery('upgrade', {}, HELM_3)).toBe(
      `upgrade web /cache/web-1.0.0.tgz ${common} --reset-values --history-max 10`,
    );
  });

  it('R8 has the complete values on standard input, and none among the arguments', () => {
    const call = translateDelivery(desiredRelease({ values: { password: 'hunter2' } }), 'upgrade', {
      version: HELM_4,
      historyMax: 10,
    });
    expect(call.stdin).toBe('{"password":"hunter2"}');
    expect(call.args.join(' ')).not.toContain('hunter2');
  });

  it('R8 says that there are no values when there are none', () => {
    const call = translateDelivery(desiredRelease({ values: {} }), 'upgrade', { version: HELM_4, historyMax: 10 });
    expect(call.stdin).toBe('{}');
  });

  it.each<[HelmVersion, string]>([
    [HELM_4, '--wait=watcher --wait-for-jobs'],
    [HELM_3, '--wait --wait-for-jobs'],
  ])('waits when the chart has hooks that come after it, with helm $text', (version, flags) => {
    const { chart } = desiredRelease();
    expect(delivery('upgrade', { chart: { ...chart, hasPostHooks: true } }, version)).toContain(flags);
  });

  it.each([
    [{ adopt: true }, '--take-ownership', '3.17'],
    [{ skipSchemaValidation: true }, '--skip-schema-validation', '3.16'],
  ])('%o asks for %s, and is refused when helm is older than %s', (shape, flag, _) => {
    expect(delivery('install', shape)).toContain(flag);
    expect(delivery('install')).not.toContain(flag);
    expect(() => delivery('install', shape, HELM_3)).toThrow(expect.objectContaining({ code: 'Unsupported' }));
  });
});

describe('an uninstall', () => {
  it.each([
    ['keeps its record, goes from the dependents up, and runs the hooks of the chart', true, ''],
    ['runs no hooks where it must not', false, ' --no-hooks'],
  ])('%s', (_, hooks, end) => {
    expect(translateUninstall(TARGET, { hooks }).args.join(' ')).toBe(
      `uninstall web --namespace shop-ns --timeout 24h --keep-history --cascade foreground${end}`,
    );
  });
});
