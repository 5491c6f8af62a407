import type { KubeObject } from '../../../src/api/kube.ts';
import { API_VERSION } from '../../../src/api/names.ts';
import type { CliHost } from '../../../src/cli/host.ts';
import { runCli } from '../../../src/cli/main.ts';
import { createClock } from '../../../src/compose/clock.ts';
import type { Failure } from '../../../src/compose/rehearsal/failure.ts';
import { writeYaml } from '../../../src/lib/yaml.ts';
import { CliWorld } from '../../fakes/cli-world.ts';
import { customKind, FakeOperator } from '../operator/fake-operator.ts';
import { says } from '../operator/packages.ts';
import { condition, type OperatorWorld, type PackageObject } from '../operator/world.ts';
import { type Decided, PATIENT } from './decided.ts';
import type { Published } from './published.ts';
import { Recording } from './recording.ts';
import type { Saboteur } from './saboteur.ts';
import type { Controller } from './shape.ts';

/** The same commands as in a rehearsal, on the real control plane with the built operator. */
export class RealSide {
  readonly #world: OperatorWorld;
  readonly #saboteur: Saboteur;

  constructor(world: OperatorWorld, saboteur: Saboteur) {
    this.#world = world;
    this.#saboteur = saboteur;
  }

  async play({ id, shape, sources }: Published, failures: readonly Failure[], timeout: string): Promise<Decided> {
    const controller = shape.controller?.(id);
    const stop = controller === undefined ? undefined : this.#control(id, controller);
    const recording = await Recording.begin(this.#world.cluster, id);
    try {
      await this.#run('install', sources[0], PATIENT);
      const install = await this.#rest(id, recording);
      this.#saboteur.fail(id, failures);
      const exitCode = await this.#run('upgrade', sources[1], timeout);
      const upgrade = await this.#rest(id, recording);
      return { install, upgrade, conditions: recording.conditions(), releases: recording.releases(), exitCode };
    } finally {
      recording.stop();
      stop?.();
    }
  }

  /** Until nothing of the package moves any more. */
  async #rest(id: string, recording: Recording): Promise<readonly string[]> {
    await this.#world.untilPackage(id, isAtRest);
    await recording.caughtUp();
    return recording.take();
  }

  async #run(verb: 'install' | 'upgrade', source: KubeObject, timeout: string): Promise<number> {
    const { name } = source.metadata;
    const pkg = { apiVersion: API_VERSION, kind: 'Package', metadata: { name }, spec: {} };
    const file = [source, pkg].map((object) => `---\n${writeYaml(object)}`).join('');
    const argv = [verb, name, '-f', 'file.yaml', '--timeout', timeout, '--yes', '--wait-timeout', '1h'];
    return runCli(argv, this.#host(file));
  }

  #host(file: string): CliHost {
    const { cluster } = this.#world;
    const world = new CliWorld();
    world.other = cluster;
    world.files.set('file.yaml', file);
    return { ...world.host(), clock: createClock() };
  }

  #control(id: string, controller: Controller): () => void {
    const { cluster } = this.#world;
    const { group, kind, deployment, definesLate } = controller;
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: id, name: deployment };
    const isUp = async (): Promise<boolean> => (await cluster.read(ref)) !== undefined;
    const operator = new FakeOperator({ cluster, apiVersion: `${group}/v1`, kind, isUp });
    if (definesLate) void this.#defineLate(id, controller);
    return () => {
      operator.stop();
    };
  }

  /** Not before somebody has asked for it in vain: a machine at work may take any time to do so. */
  async #defineLate(id: string, { group, kind }: Controller): Promise<void> {
    await this.#world.untilPackage(id, says(/no matches for kind|not served yet/));
    await this.#world.cluster.write({ verb: 'create', object: customKind(group, kind) });
  }
}

/** It runs or has failed, and nothing is still to be removed. */
function isAtRest(pkg: PackageObject): boolean {
  const ready = condition(pkg, 'Ready');
  const isNew = ready?.observedGeneration === pkg.metadata.generation;
  const isOver = ready?.status === 'True' || condition(pkg, 'Stalled')?.status === 'True';
  return isNew && isOver && condition(pkg, 'Reconciling') === undefined;
}
