import { notServed } from '../api/refusals.ts';
import type { JsonMap } from '../model/object.ts';
import { type MediaType, mediaTypes } from './accept.ts';
import { type Answer, jsonAnswer, PAGE_NOT_FOUND, textAnswer } from './answer.ts';
import { aggregated, coreVersions, groupDocument, groupList, resourceList } from './discovery.ts';
import type { Call } from './call.ts';
import { openApiAnswer } from './openapi.ts';
import type { Route } from './route.ts';

type DocumentRoute = Exclude<Route, { readonly type: 'object' }>;

const VERSION: JsonMap = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.3',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.26',
  compiler: 'gc',
  platform: 'linux/amd64',
};

/** What there is to read beside objects: what is served, in which shape, and how the server is. */
export function documentAnswer(call: Call, route: DocumentRoute): Answer {
  const resources = call.serving.api.resources();
  switch (route.type) {
    case 'core-versions':
      return aggregatedAnswer(call, true) ?? jsonAnswer(coreVersions(new URL(call.serving.url).host));
    case 'groups':
      return aggregatedAnswer(call, false) ?? jsonAnswer(groupList(resources));
    case 'group':
      return found(groupDocument(resources, route.group));
    case 'group-version':
      if (route.group === '' && route.version !== 'v1') throw notServed();
      return found(resourceList(resources, route.group, route.version));
    case 'other':
      return otherAnswer(call, route.path);
  }
}

function found(document: JsonMap | undefined): Answer {
  return document === undefined ? PAGE_NOT_FOUND : jsonAnswer(document);
}

function aggregatedAnswer(call: Call, core: boolean): Answer | undefined {
  const version = mediaTypes(call.request.headers.accept)
    .map(discoveryVersion)
    .find((own) => own !== undefined);
  if (version === undefined || version === '') return undefined;
  const body = aggregated(call.serving.api.resources(), { core, version });
  return { status: 200, body, type: `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList` };
}

/** Empty: the plain document is preferred to what follows. */
function discoveryVersion({ name, parameters }: MediaType): string | undefined {
  if (name !== 'application/json') return undefined;
  const version = parameters.get('v');
  if (parameters.get('as') === undefined) return '';
  const isKnown = parameters.get('as') === 'APIGroupDiscoveryList' && parameters.get('g') === 'apidiscovery.k8s.io';
  return isKnown && (version === 'v2' || version === 'v2beta1') ? version : undefined;
}

function otherAnswer(call: Call, path: string): Answer {
  if (path === '/version' || path === '/version/') return jsonAnswer(VERSION);
  if (path.startsWith('/openapi/')) return openApiAnswer(call, path);
  if (/^\/(?:healthz|livez|readyz)(?:\/ping)?$/.test(path)) return textAnswer('ok');
  return PAGE_NOT_FOUND;
}
