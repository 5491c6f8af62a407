import { test, type TestAPI } from 'vitest';
import type { Selection } from '../../src/ports/cluster.ts';
import { WatchRecorder } from '../conformance/watch-recorder.ts';
import { configMap, json, listOf, type OpenWatch, type ScriptedApiServer } from './scripted-api-server.ts';
import { type ScriptedWorld, scriptedWorld } from './scripted-client.ts';

export const CONFIG_MAPS: Selection = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default' };
export const RESUME_MS = 50;
export const SETTLED_MS = 1500;
export const TIMEOUT_MS = 31_000;
export const IDLE_MS = 120_000;

/** A scripted server, its client, and what one watch delivered. */
export class Scene {
  readonly errors: unknown[] = [];
  #world: ScriptedWorld | undefined;
  #recorder: WatchRecorder | undefined;

  async start(): Promise<void> {
    this.#world = await scriptedWorld({
      settings: { timeoutMs: TIMEOUT_MS, onError: (error) => this.errors.push(error) },
    });
  }

  async close(): Promise<void> {
    this.#recorder?.stop();
    await this.world.close();
  }

  get world(): ScriptedWorld {
    return present(this.#world);
  }

  get server(): ScriptedApiServer {
    return this.world.server;
  }

  get recorder(): WatchRecorder {
    return present(this.#recorder);
  }

  watch(selection: Selection = CONFIG_MAPS): WatchRecorder {
    this.#recorder = new WatchRecorder(this.world.client, selection);
    return this.#recorder;
  }

  /** Waits for the pause before the next try, and lets it pass. */
  async passPause(ms: number): Promise<void> {
    await this.world.clock.armed(ms);
    await this.world.clock.advance(ms);
  }

  /** A watch that listed `a` at resource version 5 and has seen one change since. */
  async watchInUse(): Promise<OpenWatch> {
    this.server.lists.push(json(listOf('5', [configMap('a', '3')])));
    this.watch();
    const stream = await this.server.nextWatch();
    stream.send('ADDED', configMap('b', '6'));
    await this.recorder.saw('set', 'b');
    return stream;
  }

  disturbances(): readonly string[] {
    return this.recorder.events.flatMap((event) => (event.type === 'disturbed' ? [event.error.code] : []));
  }
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the scene has not come that far');
  return value;
}

export const it: TestAPI<{ scene: Scene }> = test.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern which fixtures this one needs
  scene: async ({}, use) => {
    const scene = new Scene();
    await scene.start();
    await use(scene);
    await scene.close();
  },
});
