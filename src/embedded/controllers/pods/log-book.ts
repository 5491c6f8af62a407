import type { LogLine, LogSource, LogTarget, Watching } from '../../model/api.ts';

interface Run {
  readonly lines: LogLine[];
  readonly readers: Set<Reader>;
  ended: boolean;
}

interface Reader {
  readonly onLine: (line: LogLine) => void;
  readonly onEnd: () => void;
}

interface Runs {
  readonly present: Run;
  readonly previous: Run | undefined;
}

type Place = Omit<LogTarget, 'previous'>;

/** What containers wrote: the present run of each, and the one before. */
export class LogBook implements LogSource {
  readonly #runs = new Map<string, Runs>();

  lines(target: LogTarget): readonly LogLine[] | undefined {
    return this.#find(target)?.lines;
  }

  follow(target: LogTarget, onLine: (line: LogLine) => void, onEnd: () => void): Watching {
    const run = this.#find(target);
    if (run === undefined || run.ended) {
      onEnd();
      return { stop: () => undefined };
    }
    const reader = { onLine, onEnd };
    run.readers.add(reader);
    return {
      stop: () => {
        run.readers.delete(reader);
      },
    };
  }

  /** A container starts, perhaps once more. */
  begin(place: Place): void {
    const key = keyOf(place);
    const present = { lines: [], readers: new Set<Reader>(), ended: false };
    this.#runs.set(key, { present, previous: this.#runs.get(key)?.present });
  }

  write(place: Place, line: LogLine): void {
    const run = this.#runs.get(keyOf(place))?.present;
    run?.lines.push(line);
    for (const { onLine } of [...(run?.readers ?? [])]) onLine(line);
  }

  end(place: Place): void {
    const run = this.#runs.get(keyOf(place))?.present;
    if (run === undefined || run.ended) return;
    run.ended = true;
    for (const { onEnd } of [...run.readers]) onEnd();
    run.readers.clear();
  }

  /** The pod is gone, and what it wrote with it. */
  drop(place: Place): void {
    this.end(place);
    this.#runs.delete(keyOf(place));
  }

  #find(target: LogTarget): Run | undefined {
    const runs = this.#runs.get(keyOf(target));
    return target.previous ? runs?.previous : runs?.present;
  }
}

function keyOf({ namespace, pod, container }: Place): string {
  return `${namespace}/${pod}/${container}`;
}
