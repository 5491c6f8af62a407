import type { JsonMap, StoredObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { asStored } from './core.ts';
import { childOf } from './rules/kind-rules.ts';
import { groupPlural } from './traits.ts';

const USER = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };

const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

const ALLOWED = { allowed: true };

/** Kinds that are questions: nothing is stored, and whoever asks may do everything. */
const ANSWERS: Readonly<Record<string, (body: JsonMap) => JsonMap>> = {
  'authorization.k8s.io/localsubjectaccessreviews': () => ALLOWED,
  'authorization.k8s.io/selfsubjectaccessreviews': () => ALLOWED,
  'authorization.k8s.io/subjectaccessreviews': () => ALLOWED,
  'authorization.k8s.io/selfsubjectrulesreviews': () => EVERYTHING,
  'authentication.k8s.io/selfsubjectreviews': () => ({ userInfo: USER }),
  'authentication.k8s.io/tokenreviews': (body) =>
    childOf(body, 'spec')['token'] === undefined ? { user: {} } : { authenticated: true, user: USER },
};

export function isReview(resource: Resource): boolean {
  return Object.hasOwn(ANSWERS, groupPlural(resource));
}

export function answerReview(resource: Resource, body: JsonMap): StoredObject {
  const status = ANSWERS[groupPlural(resource)]?.(body) ?? {};
  const metadata = childOf(body, 'metadata');
  return asStored({ ...body, kind: resource.kind, apiVersion: apiVersionOf(resource), metadata, status });
}
