import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Kubectl } from './kubectl.ts';
import { POD_COLUMNS, PodHistory } from './pod-history.ts';
import { DemoError } from './terminal.ts';
import type { Moment } from './timeline.ts';

interface Component {
  readonly name: string;
  readonly app: string;
}

export interface PodWatch {
  beginVersion(): void;
  /** Of components that are ready; waits for what is still on its way. */
  momentsOf(components: readonly Component[]): Promise<readonly Moment[]>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 20_000;

/** Writes down what the API server tells of pods while others work. */
export function watchPods({ file, env, signal }: Kubectl, namespace: string): PodWatch {
  const columns = `custom-columns=${POD_COLUMNS}`;
  const args = ['get', 'pods', '-n', namespace, '--watch', '--no-headers', '-o', columns];
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const gone = once(child, 'close');
  const history = new PodHistory();
  const told = new EventEmitter();
  createInterface({ input: child.stdout }).on('line', (line) => {
    history.tell(line);
    told.emit('line');
  });
  return {
    beginVersion: () => {
      history.beginVersion();
    },
    momentsOf: async (components) => {
      const inTime = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      for (;;) {
        const moments = components.flatMap((component) => history.momentOf(component) ?? []);
        if (moments.length === components.length) return moments;
        await nextLine(told, inTime);
      }
    },
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function nextLine(told: EventEmitter, signal: AbortSignal): Promise<void> {
  try {
    await once(told, 'line', { signal });
  } catch (cause) {
    throw new DemoError('the API server did not tell of the pods of all components', { cause });
  }
}
