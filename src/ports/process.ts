export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly cwd?: string;
  /** How much of each output stream is kept; default 256 KiB. */
  readonly maxOutputBytes?: number;
}

export interface CommandResult {
  /** Absent when a signal ended it. */
  readonly exitCode?: number;
  readonly signal?: string;
  /** Cut at the adapter's limit, keeping the end. */
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs programs without a shell; a child never outlives this process, whatever ends it. */
export interface CommandRunner {
  /** Rejects when the program cannot be started: NotFound when there is none, DiskFull, else Internal. Aborting ends the child and all its descendants, and resolves once they are gone. */
  run(command: Command, signal?: AbortSignal): Promise<CommandResult>;
}
