import type { Traffic, TrafficRequest } from '../../embedded/model/traffic.ts';
import type { Activity } from '../../embedded/time/activity.ts';
import type { Programs } from './mortal-runner.ts';
import type { Steps } from './steps.ts';

export interface HelmTrafficPlace {
  readonly activity: Activity;
  readonly programs: Programs;
  readonly steps: Steps;
}

const VERBS: Readonly<Record<string, string>> = {
  POST: 'helm creates',
  PUT: 'helm writes',
  PATCH: 'helm patches',
  DELETE: 'helm deletes',
};

/**
 * The only clients from outside are the operator's helms. They wait for time to pass when each of them has a watch open
 * and none has asked anything that is not answered yet.
 */
export function helmTraffic({ activity, programs, steps }: HelmTrafficPlace): Traffic {
  const open = { watches: 0, requests: 0 };
  const judge = (): void => {
    programs.waiting = open.requests === 0 && open.watches >= Math.max(1, programs.running);
  };
  return {
    requested: () => {
      open.requests += 1;
      const doing = activity.begin();
      judge();
      return () => {
        open.requests -= 1;
        doing.end();
        judge();
      };
    },
    written: (request) => {
      steps.take(describe(request));
      return Promise.resolve();
    },
    watched: () => {
      open.watches += 1;
      judge();
      return {
        sent: () => {
          activity.touch();
        },
        ended: () => {
          open.watches -= 1;
          activity.touch();
          judge();
        },
      };
    },
  };
}

/** `/apis/apps/v1/namespaces/shop/deployments/app?…` is `deployments shop/app`. */
function describe({ method, path, created = '' }: TrafficRequest): string {
  const [, rest = ''] = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/([^?]*)/.exec(path) ?? [];
  const parts = rest.split('/').filter((part) => part !== '');
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const where = isNamespaced ? parts.slice(1, 2) : [];
  const [plural = path, name = created] = isNamespaced ? parts.slice(2) : parts;
  return `${VERBS[method] ?? method} ${plural} ${[...where, name].join('/')}`.trimEnd();
}
