import type { ListOptions, ObjectPage, Target } from '../model/api.ts';
import { forbidden } from '../model/causes.ts';
import { invalidObject } from '../model/invalid.ts';
import type { StoredObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { StatusError } from '../model/status-error.ts';
import { type ContinueToken, readContinue, writeContinue } from './continue-token.ts';
import type { Core } from './core.ts';
import { parseFieldSelector } from './field-selector.ts';
import { parseLabelSelector } from './label-selector.ts';
import { badRequest, expired } from './refusals.ts';
import { keyOf } from './store.ts';

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

export type Selects = (object: StoredObject) => boolean;

export function selection(
  core: Core,
  resource: Resource,
  options: { readonly labelSelector?: string; readonly fieldSelector?: string },
): Selects {
  const labels = parseLabelSelector(options.labelSelector ?? '');
  const selectableFields = core.kinds.selectableFields(resource);
  const { group, plural, custom } = resource;
  const fields = parseFieldSelector(options.fieldSelector ?? '', { group, plural, custom, selectableFields });
  return (object) => labels(object.metadata.labels) && fields(object);
}

export function listObjects(core: Core, target: Target, options: ListOptions): ObjectPage {
  const resource = core.kinds.require(target);
  const selects = selection(core, resource, options);
  const token = options.continue === undefined || options.continue === '' ? undefined : readContinue(options.continue);
  checkOptions(core, options, token);
  const moment = momentOf(core, options, token);
  const { key } = core.kinds.storageOf(resource);
  const all = core.store.allAt(key, resource.namespaced ? (target.namespace ?? '') : '', moment);
  if (all === undefined) throw tooOld(token);
  const rest = token === undefined ? all : all.filter(({ metadata }) => keyOf(metadata) > token.after);
  const views = rest.map((object) => core.kinds.view(object, resource));
  return pageOf(views, { selects, moment, options });
}

interface Paging {
  readonly selects: Selects;
  readonly moment: number;
  readonly options: ListOptions;
}

/** A page ends at the object that fills it; whether the rest has any that are selected is not looked at. */
function pageOf(all: readonly StoredObject[], { selects, moment, options }: Paging): ObjectPage {
  const limit = options.limit ?? 0;
  const resourceVersion = String(moment);
  const items = all.filter(selects);
  const page = limit > 0 ? items.slice(0, limit) : items;
  const last = page.at(-1);
  const isWhole = limit <= 0 || page.length < limit || last === all.at(-1) || namesOne(options);
  if (isWhole) return { items: page, resourceVersion };
  return {
    items: page,
    resourceVersion,
    continue: writeContinue({ revision: moment, after: last === undefined ? '' : keyOf(last.metadata) }),
    // What selectors would find in the rest is not counted by the API server.
    ...(isSelective(options) ? {} : { remainingItemCount: items.length - limit }),
  };
}

/** Then the API server reads that object, and does not go through all. */
function namesOne({ fieldSelector = '' }: ListOptions): boolean {
  return /(^|,)metadata\.name==?[^,]/.test(fieldSelector);
}

function isSelective({ labelSelector = '', fieldSelector = '' }: ListOptions): boolean {
  return labelSelector !== '' || fieldSelector !== '';
}

function checkOptions(core: Core, options: ListOptions, token: ContinueToken | undefined): void {
  const { resourceVersion = '', resourceVersionMatch } = options;
  if (resourceVersionMatch !== undefined && resourceVersion === '') {
    const cause = forbidden(
      'resourceVersionMatch',
      'resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions', name: '' }, [cause]);
  }
  if (token !== undefined && resourceVersion !== '' && resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion)) {
    throw badRequest(`invalid resource version: ${badVersion(resourceVersion)}`);
  }
  if (Number(resourceVersion) > core.store.revision) throw tooLarge(core, resourceVersion);
}

export function badVersion(text: string): string {
  const value = JSON.stringify(text);
  return `resourceVersion: Invalid value: ${value}: strconv.ParseUint: parsing ${value}: invalid syntax`;
}

export function tooLarge(core: Core, resourceVersion: string): StatusError {
  return new StatusError(
    'Timeout',
    `Too large resource version: ${resourceVersion}, current: ${String(core.store.revision)}`,
    {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  );
}

function momentOf(core: Core, options: ListOptions, token: ContinueToken | undefined): number {
  // Of an expired token's successor: whatever is there.
  if (token !== undefined) return token.revision === undefined ? core.store.revision : token.revision;
  if (options.resourceVersionMatch === 'Exact') return Number(options.resourceVersion);
  return core.store.revision;
}

/** The token of the answer goes on from there, at what there is then. */
function tooOld(token: ContinueToken | undefined): StatusError {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.');
  return expired(CONTINUE_TOO_OLD, writeContinue({ revision: undefined, after: token.after }));
}
