import { OBJECT_FAILURES, POD_FAILURES } from '../test/scenario/failures/object-failures.ts';
import { DELIVERY_FAILURES, PACKAGE_FAILURES } from '../test/scenario/failures/package-failures.ts';
import { type Failure, Stage } from '../test/scenario/failures/stage.ts';
import { code, page, prose, table } from './generate-reference.ts';

export const FAILURES: readonly { readonly title: string; readonly failures: readonly Failure[] }[] = [
  { title: 'Pods', failures: POD_FAILURES },
  { title: 'Other objects', failures: OBJECT_FAILURES },
  { title: 'Deliveries', failures: DELIVERY_FAILURES },
  { title: 'Packages', failures: PACKAGE_FAILURES },
];

/** What `kubepkg status` prints of a failure, once the real engine has looked at it. */
export async function statusOf(failure: Failure): Promise<readonly string[]> {
  const stage = new Stage();
  try {
    await failure.play(stage);
    return await stage.status();
  } finally {
    stage.world.engine.stop();
  }
}

/** The line with the cause: below the objects that show it, or else the first one, which says why the package is as it is. */
export function tellingLine(lines: readonly string[], { cause }: Failure): string {
  const conditions = lines.findIndex((line) => line.startsWith('CONDITION'));
  const tree = lines.slice(1, conditions).map((line) => line.replace(/^[│├└─\s]+/, ''));
  return tree.find((line) => line.includes(cause)) ?? lines[0] ?? '';
}

/** Every failure with the line that is shown of it: nothing here is written by hand. */
export async function failuresPage(): Promise<string> {
  const sections: string[] = [];
  for (const { title, failures } of FAILURES) {
    const rows: (readonly string[])[] = [];
    for (const failure of failures) {
      const line = tellingLine(await statusOf(failure), failure);
      rows.push([prose(failure.what), code(line)]);
    }
    sections.push(`## ${title}`, table(['What is wrong', 'The line'], rows));
  }
  return page(
    'Failures',
    'What `kubepkg status` says of each of these failures: the line that names the deepest cause. The first line of the status does, with what happens next; where objects of a component are looked at, it stands below them too, as it is shown here. A long cause is said once: where it would stand again, it is `as above`. A line that begins with `hint:` says what to do.',
    'The lines are of a package `shop` with a component `web`, as the engine and the command line give them for objects in that state.',
    ...sections,
  );
}
