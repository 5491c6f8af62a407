import { KubepkgError } from '../../../src/api/errors.ts';
import { aComponent } from '../../build/objects.ts';
import { deployment, job } from '../../build/readiness-objects.ts';
import type { Failure, Stage } from './stage.ts';

/** What helm, or the API server through it, refuses. */
function refused(what: string, run: string, cause: string): Failure {
  return { what, cause, play: (stage) => stage.refuse(run) };
}

export const DELIVERY_FAILURES: readonly Failure[] = [
  refused('a field that cannot be changed', 'immutable-selector', 'spec.selector: Invalid value'),
  refused('a chart that does not render', 'render-required', 'host is needed'),
  refused('values that the schema of the chart refuses', 'schema-violation', "at '/port': got string, want integer"),
  refused('an object that belongs to another release', 'ownership-other', 'must equal "o2": current value is "o1"'),
  refused('an object that the API server refuses', 'invalid-object', 'spec.ports[0].port: Invalid value: 99999999'),
  refused('a policy that refuses an object', 'policy-denied', 'name denied is not allowed'),
  refused('a release that is too large', 'too-large', 'Too long: may not be more than 1048576 bytes'),
  refused('a kind that no CRD defines', 'no-matches', 'no matches for kind "Thing" in version "nope.example.com/v1"'),
  refused('a webhook that does not answer', 'webhook-no-service', 'failed calling webhook "hook.example.com"'),
  refused('a permission that the operator lacks', 'forbidden', 'User "nobody" cannot get resource "configmaps"'),
];

function notFetched(what: string, error: KubepkgError, cause: string): Failure {
  return {
    what,
    cause,
    play: (stage) => {
      stage.world.artifacts.failures.set('web', error);
      stage.world.addSource([aComponent('web')]);
      return stage.world.install();
    },
  };
}

async function tooLate(stage: Stage): Promise<void> {
  await stage.install([deployment({}, { readyReplicas: 0, availableReplicas: 0 })]);
  await stage.world.advance(601_000);
}

async function failedHook(stage: Stage): Promise<void> {
  const { world } = stage;
  const components = [aComponent('migrate', { phase: 'PreUpgrade' }), aComponent('web')];
  world.addSource(components, { version: '1.0.0' });
  await world.install();
  const conditions = [
    { type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded', message: 'it has failed 7 times' },
  ];
  const failing = job({}, { failed: 7, conditions });
  world.backend.objects = ({ component }) => (component === 'migrate' ? [failing] : []);
  world.addSource(components, { version: '2.0.0' });
  await world.settle();
}

async function withSource(stage: Stage, spec: Parameters<Stage['world']['addSource']>[1]): Promise<void> {
  stage.world.addSource([aComponent('web')], spec);
  await stage.world.install();
}

async function conflicting(stage: Stage): Promise<void> {
  stage.world.addSource([aComponent('db')], {}, 'olddb');
  stage.world.addPackage({}, { name: 'olddb' });
  await withSource(stage, { conflicts: ['olddb'] });
}

async function foreignRelease(stage: Stage): Promise<void> {
  stage.world.backend.leave({ package: 'other', component: 'web', releaseName: 'web', namespace: 'shop' });
  await withSource(stage, {});
}

async function suspended(stage: Stage): Promise<void> {
  stage.world.addSource([aComponent('web')]);
  stage.world.addPackage({ suspend: true });
  await stage.world.start();
  await stage.world.settle();
}

const REQUIRING = {
  variants: [{ name: 'default', components: [aComponent('web')], requires: [{ package: 'db', version: '>=2' }] }],
};

export const PACKAGE_FAILURES: readonly Failure[] = [
  {
    what: 'a component that is not ready in time',
    cause: 'Deployment shop/web: 0 of 3 replicas available',
    play: tooLate,
  },
  { what: 'a hook that failed', cause: 'BackoffLimitExceeded: it has failed 7 times', play: failedHook },
  notFetched(
    'a registry that cannot be reached',
    new KubepkgError('RegistryUnreachable', 'registry.example.org cannot be reached: connection refused'),
    'registry.example.org cannot be reached: connection refused',
  ),
  notFetched(
    'a chart that is not the one that was pinned',
    new KubepkgError('DigestMismatch', 'chart web 1.0.0 has another digest than the source names'),
    'has another digest than the source names',
  ),
  {
    what: 'a requirement that is not met',
    cause: 'package db is not installed',
    play: (stage) => withSource(stage, REQUIRING),
  },
  {
    what: 'a package that conflicts with an installed one',
    cause: 'package olddb conflicts with this one',
    play: conflicting,
  },
  {
    what: 'a release that belongs to another package',
    cause: 'release shop/web exists and it belongs to package other',
    play: foreignRelease,
  },
  {
    what: 'a version that the constraint excludes',
    cause: 'does not satisfy spec.version ">=2"',
    play: async (stage) => {
      stage.world.addSource([aComponent('web')]);
      stage.world.addPackage({ version: '>=2' });
      await stage.world.start();
      await stage.world.settle();
    },
  },
  {
    what: 'components that wait for each other',
    cause: 'web → db → web',
    play: async (stage) => {
      stage.world.addSource([aComponent('web', { dependsOn: ['db'] }), aComponent('db', { dependsOn: ['web'] })]);
      await stage.world.install();
    },
  },
  {
    what: 'a source that does not exist',
    cause: 'there is no PackageSource shop',
    play: (stage) => stage.world.install(),
  },
  { what: 'a package that is suspended', cause: 'spec.suspend is set', play: suspended },
];
