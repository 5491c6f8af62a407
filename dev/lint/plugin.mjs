import { explainedSuppression } from './rules/explained-suppression.mjs';
import { floors } from './rules/floors.mjs';
import { noClock } from './rules/no-clock.mjs';
import { noModuleState } from './rules/no-module-state.mjs';
import { noSwallowedError } from './rules/no-swallowed-error.mjs';

/** Rules of this house that no published plugin has. */
export const house = {
  meta: { name: 'house' },
  rules: {
    'explained-suppression': explainedSuppression,
    floors,
    'no-clock': noClock,
    'no-module-state': noModuleState,
    'no-swallowed-error': noSwallowedError,
  },
};
