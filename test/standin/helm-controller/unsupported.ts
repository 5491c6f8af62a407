import { asArray, at } from '../../../src/lib/json.ts';

type Question = readonly [path: string, asks: (value: unknown) => boolean];

const isSet = (value: unknown): boolean => value !== undefined && value !== null;
const isTrue = (value: unknown): boolean => value === true;
const isNot =
  (...harmless: readonly string[]) =>
  (value: unknown): boolean =>
    typeof value === 'string' && !harmless.includes(value);

/** What this stand-in does not model. It stalls and says so, rather than do something else than the real controller. */
const QUESTIONS: readonly Question[] = [
  ['kubeConfig', isSet],
  ['serviceAccountName', isSet],
  ['postRenderers', (value) => asArray(value).length > 0],
  ['commonMetadata', isSet],
  ['test.enable', isTrue],
  ['driftDetection.mode', isNot('disabled')],
  ['install.strategy.name', isNot('RemediateOnFailure')],
  ['install.serverSideApply', (value) => value === false],
  ['upgrade.strategy.name', isNot('RemediateOnFailure')],
  ['upgrade.serverSideApply', isNot('auto', 'enabled')],
  ['upgrade.cleanupOnFail', isTrue],
  ['upgrade.force', isTrue],
  ['upgrade.preserveValues', isTrue],
  ['rollback.cleanupOnFail', isTrue],
  ['rollback.force', isTrue],
  ['rollback.serverSideApply', isNot('auto', 'enabled')],
  ['dependsOn', (value) => asArray(value).some((item) => isSet(at(item, 'readyExpr')))],
  [
    'valuesFrom',
    (value) => asArray(value).some((item) => isSet(at(item, 'targetPath')) || isTrue(at(item, 'literal'))),
  ],
  ['chartRef.kind', isNot('OCIRepository', 'HelmChart')],
];

/** The first field of a spec that asks for something which is not modelled. */
export function unsupportedField(spec: unknown): string | undefined {
  return QUESTIONS.find(([path, asks]) => asks(at(spec, ...path.split('.'))))?.[0];
}
