/** What was decided on one side, and how it ended. */
export interface Decided {
  readonly install: readonly string[];
  readonly upgrade: readonly string[];
  readonly conditions: readonly string[];
  /** Those that are left. */
  readonly releases: readonly string[];
  /** Of the command that asked for the upgrade. */
  readonly exitCode: number;
}

/** What components have to become ready that can do so: a machine at work takes its time. */
export const PATIENT = '10m';
/** For an upgrade in which something waits in vain: enough for whatever does not. */
export const SHORT = '40s';
/** A failing verdict that lasts for half a minute decides before the deadline does, and pods crash in another rhythm on either side. */
export const SHORTER = '25s';
