import { asKubepkgError } from '../../../src/api/errors.ts';
import type { BackendAction, SubmitOutcome } from '../../../src/ports/backend.ts';
import { placeName } from '../release-work.ts';
import type { Stage } from '../stage.ts';

/** What one process asks of a backend: one step on a release at a time (W1). */
export class Steps {
  readonly #world: Stage;
  readonly #busy = new Set<string>();

  constructor(world: Stage) {
    this.#world = world;
  }

  async take(action: BackendAction, step: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
    const { ledger, trace } = this.#world;
    const name = placeName('release' in action ? action.release : action.target);
    if (this.#busy.has(name)) ledger.violate('W1', `two steps on release ${name} at once`);
    this.#busy.add(name);
    trace.add('backend', `${action.kind} ${name} begins`);
    const outcome = await attempt(step);
    this.#busy.delete(name);
    const end = outcome.kind === 'accepted' ? 'done' : `${outcome.kind}: ${outcome.error.code}`;
    trace.add('backend', `${action.kind} ${name} ${end}`);
    return outcome;
  }
}

/** What throws has failed, whatever it was. */
async function attempt(step: () => Promise<SubmitOutcome>): Promise<SubmitOutcome> {
  try {
    return await step();
  } catch (error) {
    return { kind: 'failed', error: asKubepkgError(error) };
  }
}
