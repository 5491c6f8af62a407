import { isCode, type KubepkgError } from '../api/errors.ts';
import type { Log } from '../ports/system.ts';
import type { Tap } from './tap-watches.ts';

/** Says once that a watch is disturbed, again when the cause is another one, and when it works again. */
export function logDisturbances(log: Log): Tap {
  return ({ apiVersion, kind }) => {
    let said: string | undefined;
    return (event) => {
      if (event.type === 'disturbed') {
        if (said !== event.error.code) warn(log, `${kind} ${apiVersion}`, event.error);
        said = event.error.code;
      } else if (event.type === 'synced' && said !== undefined) {
        log.info('a watch works again', { kind: `${kind} ${apiVersion}` });
        said = undefined;
      }
    };
  };
}

function warn(log: Log, kind: string, error: KubepkgError): void {
  const fields = { kind, code: error.code, error: error.message, hint: error.hint };
  // A component may wait for a kind that another one brings.
  if (isCode(error, 'KindNotServed')) log.debug('a watch waits for its kind', fields);
  else log.warn('a watch is disturbed and tried again', fields);
}
