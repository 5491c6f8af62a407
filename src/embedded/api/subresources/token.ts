import { asNumber, at } from '../../../lib/json.ts';
import { formatSeconds } from '../../../lib/time.ts';
import type { Target } from '../../model/api.ts';
import type { JsonMap, StoredObject } from '../../model/object.ts';
import { randomUid } from '../chance.ts';
import { asStored, type Core, requireLive, timeNow } from '../core.ts';
import { childOf } from '../rules/kind-rules.ts';

const HOUR = 3600;

/** A token that looks like one; the server lets in nobody with it. */
export function requestToken(core: Core, target: Target, body: JsonMap): StoredObject {
  const { metadata } = requireLive(core, core.kinds.require(target), target);
  const seconds = asNumber(at(body, 'spec', 'expirationSeconds')) ?? HOUR;
  const claims = {
    sub: `system:serviceaccount:${metadata.namespace ?? ''}:${metadata.name}`,
    jti: randomUid(core.random),
  };
  const parts = [{ alg: 'none' }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  return asStored({
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: { name: metadata.name, namespace: metadata.namespace, creationTimestamp: timeNow(core) },
    spec: { audiences: ['https://kubernetes.default.svc'], ...childOf(body, 'spec'), expirationSeconds: seconds },
    status: {
      token: `${parts.join('.')}.`,
      expirationTimestamp: formatSeconds(core.clock.now() + seconds * 1000),
    },
  });
}
