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

/** What a container did, as far as its log is concerned. */
export type LogDeed =
  | { readonly verb: 'begin' | 'end' | 'drop'; readonly place: Place }
  | { readonly verb: 'write'; readonly place: Place; readonly line: LogLine };

interface StoredRun {
  readonly lines: readonly LogLine[];
  readonly ended: boolean;
}

/** Everything that was written, by container. */
export type StoredLogs = readonly (readonly [
  container: string,
  runs: { readonly present: StoredRun; readonly previous?: StoredRun },
])[];

/** What containers wrote: the present run of each, and the one before. */
export class LogBook implements LogSource {
  readonly #runs: Map<string, Runs>;
  readonly #observers = new Set<(deed: LogDeed) => void>();

  constructor(logs: StoredLogs = []) {
    this.#runs = new Map(
      logs.map(([key, { present, previous }]) => [
        key,
        { present: runOf(present), previous: previous === undefined ? undefined : runOf(previous) },
      ]),
    );
  }

  content(): StoredLogs {
    return [...this.#runs].map(([key, { present, previous }]) => [
      key,
      { present: storedOf(present), ...(previous === undefined ? {} : { previous: storedOf(previous) }) },
    ]);
  }

  /** Told of everything that containers do, until the returned function is called. */
  observe(observer: (deed: LogDeed) => void): () => void {
    this.#observers.add(observer);
    return () => {
      this.#observers.delete(observer);
    };
  }

  /** What was done beside another book, which held the same before. */
  repeat(deed: LogDeed): void {
    if (deed.verb === 'write') this.write(deed.place, deed.line);
    else this[deed.verb](deed.place);
  }

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
    this.#tell({ verb: 'begin', place });
    const key = keyOf(place);
    const present = { lines: [], readers: new Set<Reader>(), ended: false };
    this.#runs.set(key, { present, previous: this.#runs.get(key)?.present });
  }

  write(place: Place, line: LogLine): void {
    this.#tell({ verb: 'write', place, line });
    const run = this.#runs.get(keyOf(place))?.present;
    run?.lines.push(line);
    for (const { onLine } of [...(run?.readers ?? [])]) onLine(line);
  }

  end(place: Place): void {
    this.#tell({ verb: 'end', place });
    this.#end(place);
  }

  #end(place: Place): void {
    const run = this.#runs.get(keyOf(place))?.present;
    if (run === undefined || run.ended) return;
    run.ended = true;
    for (const { onEnd } of [...run.readers]) onEnd();
    run.readers.clear();
  }

  /** The pod is gone, and what it wrote with it. */
  drop(place: Place): void {
    this.#tell({ verb: 'drop', place });
    this.#end(place);
    this.#runs.delete(keyOf(place));
  }

  #tell(deed: LogDeed): void {
    for (const observer of this.#observers) observer(deed);
  }

  #find(target: LogTarget): Run | undefined {
    const runs = this.#runs.get(keyOf(target));
    return target.previous ? runs?.previous : runs?.present;
  }
}

function runOf({ lines, ended }: StoredRun): Run {
  return { lines: [...lines], readers: new Set(), ended };
}

function storedOf({ lines, ended }: Run): StoredRun {
  return { lines: [...lines], ended };
}

function keyOf({ namespace, pod, container }: Place): string {
  return `${namespace}/${pod}/${container}`;
}
