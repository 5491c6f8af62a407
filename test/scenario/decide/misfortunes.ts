import fc from 'fast-check';
import type { PackageSpec } from '../../../src/api/package.ts';
import type { SourceComponent } from '../../../src/api/package-source.ts';
import type { HealthReport } from '../../../src/domain/release/component-view.ts';
import { aComponent, aSource } from '../../build/objects.ts';
import { present, PROGRESSING, READY, UNOBSERVED } from '../../build/world.ts';
import type { Model } from './model.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;

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
  });

const names = fc.constantFrom(...NAMES);
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
  fc.tuple(graphs, versions).map(([components, version]) => ({
    say: `version ${version} of ${components.map(({ name }) => name).join(',')}`,
    befall: (model) => {
      model.source = aSource(components, { version });
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
      editMetadata(model, { annotations: { 'kubepkg.dev/retry': String(value) } });
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
