import { KubepkgError } from '../../api/errors.ts';
import type { DesiredRelease } from '../../ports/backend.ts';

/** Room that an API server leaves an object, with some to spare for what else is in it. */
const MAX_BYTES = 1024 * 1024;
const DEFAULT_LIMIT = 10;
/** Beside the history: wanted, compared, synced, and the names of all fields in the managed fields. */
const OTHER_COPIES = 5;

/** An Application holds its values many times over: as many records of syncs are kept as there is room for. */
export function historyLimit(release: DesiredRelease, chosen = DEFAULT_LIMIT): number {
  const bytes = Math.max(1, Buffer.byteLength(JSON.stringify(release.values)));
  const room = Math.floor(MAX_BYTES / bytes) - OTHER_COPIES;
  if (room < 1) throw tooLarge(release, bytes);
  // Without any, nothing would tell that a sync was completed.
  return Math.min(Math.max(1, chosen), room);
}

function tooLarge({ namespace, releaseName }: DesiredRelease, bytes: number): KubepkgError {
  const size = `${String(Math.ceil(bytes / 1024))} KiB`;
  return new KubepkgError(
    'ReleaseTooLarge',
    `the values of release ${namespace}/${releaseName} have ${size}, and an Application holds them several times`,
    { hint: 'put large texts into the chart, or use another backend for the package' },
  );
}
