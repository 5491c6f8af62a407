import fc from 'fast-check';
import type { PackageSpec } from '../../../src/api/package.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { HealthReport } from '../../../src/domain/release/component-view.ts';
import { aComponent, aSource } from '../../build/objects.ts';
import { present, PROGRESSING, READY, UNOBSERVED } from '../../build/world.ts';
import type { Model } from './model.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;

const HOOKS = [
  aComponent('h1', { phase: 'PreUpgrade' }),
  aComponent('h2', { phase: 'PreUpgrade', dependsOn: ['h1'] }),
] as const;

/** Something that happens to a package between two steps. */
export interface Misfortune {
  readonly say: string;
  readonly befall: (model: Model) => void;
}

/** A graph without cycles: each component may depend on any that comes before it in a hidden order. */
export const graphs: fc.Arbitrary<readonly SourceComponent[]> = fc
  .tuple(
    fc.shuffledSubarray([...NAMES], { minLength: 1 }),
    fc.array(fc.array(fc.nat({ max: 4 }), { maxLength: 2 }), { minLength: 5, maxLength: 5 }),
  )
  .chain(([names, edges]) => {
    const components = names.map((name, index) => {
      const below = (edges[index] ?? []).filter((edge) => edge < index).flatMap((edge) => names[edge] ?? []);
      return aComponent(name, { dependsOn: [...new Set(below)] });
    });
    return fc.shuffledSubarray(components, { minLength: components.length });
  })
  .chain((components) => fc.nat({ max: HOOKS.length }).map((count) => [...HOOKS.slice(0, count), ...components]));

const names = fc.constantFrom(...NAMES, 'h1', 'h2');
const jobs = fc.constantFrom('never', 'some', 'unknown');
const versions = fc.constantFrom('1.0.0', '1.1.0', '2.0.0');
const healths: fc.Arbitrary<HealthReport> = fc.constantFrom(READY, PROGRESSING, UNOBSERVED, {
  status: 'failed',
  message: 'Deployment shop/x: it crashes',
  notes: [],
});
const outcomes = fc.constantFrom('delivered', 'failed', 'running', 'transient', 'interrupted');

function editSpec(model: Model, spec: Partial<PackageSpec>): void {
  model.pkg = { ...model.pkg, spec: { ...model.pkg.spec, ...spec } };
}

function editMetadata(model: Model, metadata: Partial<Model['pkg']['metadata']>): void {
  model.pkg = { ...model.pkg, metadata: { ...model.pkg.metadata, ...metadata } };
}

const edits: readonly fc.Arbitrary<Misfortune>[] = [
  fc.tuple(graphs, versions, fc.boolean()).map(([components, version, safe]) => ({
    say: `version ${version} of ${components.map(({ name }) => name).join(',')}${safe ? ', safe' : ''}`,
    befall: (model) => {
      model.source = aSource(components, { version, rollback: { safe } });
    },
  })),
  fc.tuple(names, fc.constantFrom('shop', 'data')).map(([name, namespace]) => ({
    say: `${name} moves to ${namespace}`,
    befall: (model) => {
      editSpec(model, { components: { [name]: { namespace } } });
    },
  })),
  fc.integer({ min: 1, max: 4 }).map((number) => ({
    say: `rollback to ${String(number)}`,
    befall: (model) => {
      model.annotate({ 'kubepkg.dev/rollback-to': String(number) });
    },
  })),
  versions.map((version) => ({
    say: `force back from ${version}`,
    befall: (model) => {
      model.annotate({ 'kubepkg.dev/force-rollback': version });
    },
  })),
  fc.tuple(names, fc.nat({ max: 3 })).map(([name, replicas]) => ({
    say: `values of ${name}: ${String(replicas)}`,
    befall: (model) => {
      editSpec(model, { components: { [name]: { values: { replicas } } } });
    },
  })),
  fc.constantFrom('1m', '5m', '1h').map((timeout) => ({
    say: `timeout ${timeout}`,
    befall: (model) => {
      editSpec(model, { upgrade: { atomic: true, timeout } });
    },
  })),
  fc.boolean().map((suspend) => ({
    say: suspend ? 'suspend' : 'resume',
    befall: (model) => {
      editSpec(model, { suspend });
    },
  })),
  fc.nat({ max: 2 }).map((value) => ({
    say: `retry ${String(value)}`,
    befall: (model) => {
      model.annotate({ 'kubepkg.dev/retry': String(value) });
    },
  })),
  fc.constant<Misfortune>({
    say: 'delete',
    befall: (model) => {
      editMetadata(model, { deletionTimestamp: '2026-01-01T00:00:00Z' });
    },
  }),
];

const accidents: readonly fc.Arbitrary<Misfortune>[] = [
  fc.tuple(names, healths).map(([name, health]) => ({
    say: `${name} is ${health.status}`,
    befall: (model) => {
      const since = health.status === 'failed' ? { failedSince: model.now } : {};
      model.healths.set(name, { ...health, ...since });
    },
  })),
  fc.tuple(names, outcomes).map(([name, outcome]) => ({
    say: `deliveries of ${name} end ${outcome}`,
    befall: (model) => {
      model.outcomes.set(name, outcome);
    },
  })),
  fc.tuple(names, jobs).map(([name, known]) => ({
    say: `Jobs of ${name}: ${known}`,
    befall: (model) => {
      model.jobs.set(name, known);
    },
  })),
  fc.tuple(names, fc.nat({ max: 2 })).map(([name, times]) => ({
    say: `${String(times)} removals of ${name} fail`,
    befall: (model) => {
      model.stubborn.set(name, times);
    },
  })),
  names.map((name) => ({
    say: `somebody removes ${name}`,
    befall: (model) => {
      const known = model.releases.get(`shop/${name}`);
      if (known !== undefined && known.delivery.kind !== 'running') known.observation = { state: 'absent' };
    },
  })),
  names.map((name) => ({
    say: `somebody upgrades ${name}`,
    befall: (model) => {
      const known = model.releases.get(`shop/${name}`);
      if (known?.observation.state !== 'present' || known.delivery.kind === 'running') return;
      // Labels carry over to a record that somebody else makes.
      const { token, digest, revision } = known.observation;
      known.observation = present({ token, digest, revision: revision + 1 });
    },
  })),
  names.map((name) => ({
    say: `somebody else takes the name ${name}`,
    befall: (model) => {
      if ((model.releases.get(`shop/${name}`)?.observation.state ?? 'absent') !== 'absent') return;
      const observation = { state: 'foreign', message: 'it was not made by kubepkg' } as const;
      model.releases.set(`shop/${name}`, { observation, delivery: { kind: 'none' }, health: UNOBSERVED });
    },
  })),
  fc.boolean().map((unmet) => ({
    say: unmet ? 'a requirement is lost' : 'requirements are met',
    befall: (model) => {
      model.unmet = unmet ? ['package db is not available'] : [];
    },
  })),
  fc.constant<Misfortune>({
    say: 'the process dies',
    befall: (model) => {
      model.crash();
    },
  }),
  fc.constant<Misfortune>({
    say: 'the process dies before its next delivery',
    befall: (model) => {
      model.diesBeforeDelivery = true;
    },
  }),
  fc.constant<Misfortune>({
    say: 'what runs ends',
    befall: (model) => {
      model.finish();
    },
  }),
  fc.integer({ min: 1, max: 700 }).map((seconds) => ({
    say: `${String(seconds)} s pass`,
    befall: (model) => {
      model.now += seconds * 1000;
    },
  })),
];

export const misfortunes: fc.Arbitrary<Misfortune> = fc.oneof(...edits, ...accidents);
