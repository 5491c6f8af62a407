import type { ErrorCode } from '../../../api/errors.ts';
import { definesKind, isCrd, writtenCrds } from './crds.ts';
import { eachComponent, eachObject, type ObjectOf } from './each-object.ts';
import type { ComponentFacts, Refusal } from './facts.ts';
import { isAboutImmutable } from './immutable-fields.ts';

const MISSING: readonly ErrorCode[] = [
  'ArchiveInvalid',
  'ArchiveTooLarge',
  'ArchiveUnsafe',
  'ArtifactNotFound',
  'DigestMismatch',
  'ReferenceInvalid',
  'TreeInvalid',
];
const UNSURE: readonly ErrorCode[] = ['ApiForbidden', 'QuotaExceeded', 'WebhookNotAnswering'];

/** Objects that the API server refuses for any other reason than the ones that have a prediction of their own. */
export const findRefused = eachObject((object) => {
  const refusal = refusalOf(object);
  if (refusal?.code !== 'ApiInvalid' && refusal?.code !== 'ImmutableField') return undefined;
  if (isAboutImmutable(object) || isRedefined(object)) return undefined;
  return { message: `the API server refuses it: ${refusal.message}`, remedy: 'correct the values, or the chart' };
});

/** Objects of which the API server does not say whether it would take them. */
export const findUnsure = eachObject((object) => {
  const refusal = refusalOf(object);
  if (refusal === undefined || !UNSURE.includes(refusal.code)) return undefined;
  return {
    message: `whether the API server takes it could not be tried: ${refusal.message}`,
    remedy: 'see that the operator may write it, and that no policy or quota stands in the way',
  };
});

/** Values that the schema of the chart refuses. */
export const findInvalidValues = eachComponent(({ refusal, component }) => {
  if (refusal?.code !== 'ValuesInvalid') return undefined;
  const isSkipped = component.skipSchemaValidation;
  return {
    message: refusal.message,
    remedy: isSkipped
      ? 'correct the values'
      : 'correct the values, or set install.skipSchemaValidation if the schema itself is at fault',
  };
});

/** Hooks whose schema leaves no room for the versions that every hook is given. */
export const findStrictHooks = eachComponent(({ component, valuesKeys, refusal }) => {
  if (!component.hook || component.skipSchemaValidation || refusal !== undefined) return undefined;
  if (valuesKeys === undefined || valuesKeys.includes('kubepkg')) return undefined;
  return {
    message: 'its values schema allows no kubepkg.fromVersion and kubepkg.toVersion, which every hook is given',
    remedy: 'add kubepkg to the properties of the schema, or set install.skipSchemaValidation',
  };
});

export const findUnrendered = eachComponent((owner) => {
  const found = explain(['RenderFailed', 'ChartInvalid', 'InvalidConfiguration'], 'correct the chart, or its values');
  const finding = found(owner);
  if (finding === undefined || owner.component.hook || !TOLD_TO_HOOKS.test(finding.message)) return finding;
  return { ...finding, remedy: 'it reads what only hooks are told: make it one with install.phase: PreUpgrade' };
});

/** As helm names what a template lacks. */
const TOLD_TO_HOOKS = /\.Values\.kubepkg\b/;

/** Components that helm does not even render, as an object of theirs is somebody else's. */
export const findUnowned = eachComponent(({ refusal }, facts) =>
  refusal?.code === 'OwnershipConflict' && !facts.package.adopts
    ? { message: refusal.message, remedy: 'remove the object, or adopt it with the annotation kubepkg.dev/adopt' }
    : undefined,
);

/** Charts that are not where they are said to be, or are not the ones that their digests name. */
export const findMissingCharts = eachComponent(
  explain(MISSING, 'publish the chart, or correct its repository, version and digest'),
);

/** Its CRD changes with the same upgrade: by what it says then, nobody can tell yet. */
function isRedefined({ after, facts }: ObjectOf): boolean {
  return facts.components.flatMap(writtenCrds).some(({ wanted }) => definesKind(wanted, after));
}

function explain(codes: readonly ErrorCode[], remedy: string) {
  return ({ refusal }: ComponentFacts): { readonly message: string; readonly remedy: string } | undefined =>
    refusal !== undefined && codes.includes(refusal.code) ? { message: refusal.message, remedy } : undefined;
}

/** A CRD's are told in the words of the field at fault; that a namespace is missing is nothing: it is made. */
function refusalOf({ dryRun, after, live }: ObjectOf): Refusal | undefined {
  if (dryRun === undefined || dryRun === 'accepted') return undefined;
  return isCrd(after) && live !== undefined && /storedVersions/.test(dryRun.message) ? undefined : dryRun;
}
