import type { ChosenPackage, NotTaken } from '../../domain/resolve/solve/answer.ts';
import { listOf } from '../../lib/list-of.ts';

/** Why something becomes of a package, for the table. `isNamed`: on the command line, or by a Package that is given. */
export function whyOf(chosen: ChosenPackage | undefined, isNamed: boolean): string {
  const reason = reasonOf(chosen, isNamed);
  return chosen?.newer === undefined ? reason : `${reason}; ${notTakenText(chosen.newer)}`;
}

/** Why it is not the newest version. */
export function notTakenText({ version, because }: NotTaken): string {
  const what = `${version} is not taken`;
  return because.length === 0 ? what : `${what}: ${because.join('; ')}`;
}

function reasonOf(chosen: ChosenPackage | undefined, isNamed: boolean): string {
  if (chosen === undefined || isNamed) return 'asked for';
  if (chosen.asked) return 'its source is given';
  if (chosen.because.length > 0) return chosen.because.join('; ');
  return chosen.pulledBy
    .map(({ name, version, requirement }) => `${name} ${version} requires ${requirement}`)
    .join('; ');
}

/** What the mark of a package says that nobody asked for. */
export function dependencyReason({ pulledBy }: ChosenPackage): string {
  return `required by ${listOf([...new Set(pulledBy.map(({ name }) => name))])}`;
}
