import { describe, expect, it } from 'vitest';
import { aPackage, aRevision, aRevisionComponent } from '../../../test/build/objects.ts';
import type { Condition } from '../../api/kube.ts';
import type { Package } from '../../api/package.ts';
import type { PackageRevision, PackageRevisionStatus } from '../../api/package-revision.ts';
import { colourPaint, plainPaint } from '../text/paint.ts';
import { listReport } from './list-report.ts';
import { liveReport } from './live-report.ts';
import { reportOn } from './package-report.ts';
import { packageState } from './package-state.ts';
import { statusReport } from './status-report.ts';
import { transitions } from './transitions.ts';

const NOW = Date.parse('2030-01-01T00:10:00Z');
const moment = { now: NOW, paint: plainPaint, columns: 120, rows: 40 };

function condition(type: string, status: Condition['status'], [reason, message]: readonly [string, string]): Condition {
  return { type, status, reason, message, observedGeneration: 1, lastTransitionTime: '2030-01-01T00:07:00Z' };
}

interface Parts {
  readonly ready?: readonly [Condition['status'], string, string];
  readonly name?: string;
  readonly version?: string;
  readonly others?: readonly Condition[];
}

function pkg({ ready, name = 'shop', version, others = [] }: Parts = {}): Package {
  const conditions = ready === undefined ? [] : [condition('Ready', ready[0], [ready[1], ready[2]])];
  const status = { conditions: [...conditions, ...others], version, currentRevision: 2 };
  return { ...aPackage({}, { name }), ...(ready === undefined ? {} : { status }) };
}

function upgrading(components: PackageRevisionStatus['components']): readonly PackageRevision[] {
  const names = ['store', 'app', 'worker'];
  return [
    aRevision({ number: 1, version: '1.0.0', status: { phase: 'Applied' } }),
    aRevision({
      number: 2,
      version: '1.1.0',
      components: names.map((name) => aRevisionComponent(name)),
      status: { phase: 'Applying', components, hooks: [{ name: 'migrate', state: 'Ready', attempt: 1 }] },
    }),
  ];
}

const inTheMiddle = upgrading([
  { name: 'store', state: 'Ready', attempt: 1, startedAt: '2030-01-01T00:08:00Z', readyAt: '2030-01-01T00:09:05Z' },
  {
    name: 'app',
    state: 'Submitted',
    attempt: 2,
    startedAt: '2030-01-01T00:09:18Z',
    deadline: '2030-01-01T00:19:18Z',
    message: 'Deployment shop/app: 1 of 3 replicas are ready',
  },
]);

const progressing = pkg({ version: '1.0.0', ready: ['False', 'Progressing', 'waiting for component app'] });

describe('the state of a package', () => {
  it.each([
    ['Ready', 'True', 'ReconciliationSucceeded', undefined],
    ['Ready', 'True', 'RolledBack', undefined],
    ['Progressing', 'False', 'Progressing', undefined],
    ['Progressing', 'False', 'Deleting', undefined],
    ['Waiting', 'False', 'RequirementsNotMet', undefined],
    ['Waiting', 'False', 'FetchFailed', undefined],
    ['Waiting', 'False', 'Suspended', undefined],
    ['Failed', 'False', 'UpgradeFailed', undefined],
    ['Failed', 'False', 'UpgradeRolledBack', undefined],
    ['Failed', 'False', 'InvalidConfiguration', undefined],
    ['Failed', 'False', 'Degraded', undefined],
    ['Failed', 'False', 'FetchFailed', 'True'],
    ['Progressing', 'False', 'SomethingNew', undefined],
  ] as const)('F06: it is %s when Ready is %s with %s', (state, status, reason, stalled) => {
    const others = stalled === undefined ? [] : [condition('Stalled', stalled, [reason, ''])];
    expect(packageState(pkg({ ready: [status, reason, ''], others }))).toBe(state);
  });

  it('is unknown before the operator has looked', () => {
    expect(packageState(pkg())).toBe('Unknown');
  });
});

describe('the list of packages', () => {
  const packages = [
    pkg({ name: 'web', version: '2.0.0', ready: ['False', 'RequirementsNotMet', 'package db is not available'] }),
    pkg({ name: 'db', version: '1.4.2', ready: ['True', 'ReconciliationSucceeded', 'all is well'] }),
    pkg({ name: 'cache', ready: ['False', 'UpgradeFailed', 'component redis: image\npull \u001b[2Jfailed'] }),
    pkg({ name: 'new' }),
  ];

  it('F06 tells waiting, progressing and failed apart', () => {
    expect(listReport(packages, { paint: plainPaint, wide: false })).toEqual([
      'NAME    VERSION   REVISION   READY     STATE     REASON',
      'cache   -         2          False     Failed    UpgradeFailed',
      'db      1.4.2     2          True      Ready     ReconciliationSucceeded',
      'new     -         -          Unknown   Unknown   -',
      'web     2.0.0     2          False     Waiting   RequirementsNotMet',
    ]);
  });

  it('is wide with messages, of which none can break a line or the terminal', () => {
    const lines = listReport(packages, { paint: plainPaint, wide: true });
    expect(lines[1]).toBe(
      'cache   -         2          False     Failed    UpgradeFailed             component redis: image pull [2Jfailed',
    );
  });

  it('keeps to the width of a terminal', () => {
    const lines = listReport(packages, { paint: plainPaint, wide: true, columns: 100 });
    expect(lines.filter((line) => line.length > 100)).toEqual([]);
  });

  it('has the same columns with colours', () => {
    const styles = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g');
    const coloured = listReport(packages, { paint: colourPaint, wide: true }).map((line) => line.replace(styles, ''));
    expect(coloured).toEqual(listReport(packages, { paint: plainPaint, wide: true }));
  });
});

describe('the live table', () => {
  it('cuts nothing off on a terminal of 40 columns', () => {
    const reports = [reportOn('shop', { package: progressing, revisions: inTheMiddle })];
    expect(liveReport(reports, { ...moment, columns: 40 })).toEqual([
      'shop  1.0.0 -> 1.1.0 (revision 2)',
      '  Progressing',
      '  migrate (hook) Ready',
      '  store Ready 1m5s',
      '  app Submitted 42s 9m18s left',
      '    Deployment shop/app: 1 of 3 replicas',
      '    are ready',
      '  worker Pending',
      '    after app',
    ]);
  });

  it('folds packages that are ready to a line each when there is no room, and shows the others first', () => {
    const well = pkg({ name: 'web', version: '1.1.0', ready: ['True', 'ReconciliationSucceeded', 'well'] });
    const done = upgrading([]).map((one) => ({ ...one, status: { phase: 'Applied' as const } }));
    const reports = [
      reportOn('web', { package: well, revisions: done }),
      reportOn('shop', { package: progressing, revisions: inTheMiddle }),
    ];
    const lines = liveReport(reports, { ...moment, rows: 5 });
    expect(liveReport(reports, { ...moment, rows: 4 })).toEqual([...lines.slice(1), lines[0]]);
    expect(lines).toEqual([
      'web  1.1.0 (revision 2)  Ready  well',
      'shop  1.0.0 -> 1.1.0 (revision 2)  Progressing',
      '  COMPONENT   STATE       TIME   LEFT         DETAIL',
      '  app         Submitted   42s    9m18s left   Deployment shop/app: 1 of 3 replicas are ready',
      '  2 ready, 1 pending',
    ]);
  });

  it('shows what each component does, waits for, and how long it has', () => {
    const reports = [reportOn('shop', { package: progressing, revisions: inTheMiddle })];
    expect(liveReport(reports, moment)).toEqual([
      'shop  1.0.0 -> 1.1.0 (revision 2)  Progressing',
      '  COMPONENT        STATE       TIME   LEFT         DETAIL',
      '  migrate (hook)   Ready',
      '  store            Ready       1m5s',
      '  app              Submitted   42s    9m18s left   Deployment shop/app: 1 of 3 replicas are ready',
      '  worker           Pending                         after app',
    ]);
  });

  it('counts what is done and what is to come when there is no room', () => {
    const reports = [reportOn('shop', { package: progressing, revisions: inTheMiddle })];
    expect(liveReport(reports, { ...moment, rows: 5 })).toEqual([
      'shop  1.0.0 -> 1.1.0 (revision 2)  Progressing',
      '  COMPONENT   STATE       TIME   LEFT         DETAIL',
      '  app         Submitted   42s    9m18s left   Deployment shop/app: 1 of 3 replicas are ready',
      '  2 ready, 1 pending',
    ]);
  });

  it('wraps what is too long for the terminal', () => {
    const reports = [reportOn('shop', { package: progressing, revisions: inTheMiddle })];
    expect(liveReport(reports, { ...moment, columns: 78 }).slice(4)).toEqual([
      '  app              Submitted   42s    9m18s left   Deployment shop/app: 1 of 3',
      '                                                   replicas are ready',
      '  worker           Pending                         after app',
    ]);
  });

  it('says when the operator has not looked yet', () => {
    expect(liveReport([reportOn('shop', { package: undefined, revisions: [] })], moment)).toEqual([
      'shop  Unknown  not seen by the operator yet',
    ]);
  });

  it('P9 says when a deadline has passed', () => {
    const late = upgrading([
      {
        name: 'store',
        state: 'Submitted',
        attempt: 1,
        startedAt: '2030-01-01T00:00:00Z',
        deadline: '2030-01-01T00:09:59Z',
      },
    ]);
    expect(liveReport([reportOn('shop', { package: progressing, revisions: late })], moment)[3]).toBe(
      '  store            Submitted   10m    deadline passed   waiting until it is ready',
    );
  });
});

describe('the lines of progress', () => {
  const before = reportOn('shop', {
    package: pkg({ version: '1.0.0', ready: ['True', 'ReconciliationSucceeded', 'ok'] }),
    revisions: [],
  });
  const after = reportOn('shop', { package: progressing, revisions: inTheMiddle });

  it('are one for each thing that changed', () => {
    expect(transitions(before, after)).toEqual([
      'shop: revision 2 (1.1.0) begun',
      'shop: migrate (hook) Ready',
      'shop: store Ready',
      'shop: app Submitted (attempt 2): Deployment shop/app: 1 of 3 replicas are ready',
      'shop: Progressing: waiting for component app',
    ]);
  });

  it('repeat nothing that was said of the package before it was changed', () => {
    const former = pkg({ ready: ['True', 'RolledBack', 'revision 1 runs again'] });
    const leaving = { ...former, metadata: { ...former.metadata, generation: 2 } };
    expect(transitions(undefined, reportOn('shop', { package: leaving, revisions: [] }))).toEqual([]);
    expect(listReport([leaving], { paint: plainPaint, wide: true })[1]).toBe(
      'shop   -         2          True    Unknown   -',
    );
  });

  it('are none when nothing changed', () => {
    expect(transitions(after, after)).toEqual([]);
  });

  it('are one when what is awaited changes, and none for the package that repeats it', () => {
    const next = upgrading([
      { name: 'store', state: 'Ready', attempt: 1 },
      { name: 'app', state: 'Submitted', attempt: 2, message: 'Deployment shop/app: 2 of 3 replicas are ready' },
    ]);
    const later = pkg({ version: '1.0.0', ready: ['False', 'Progressing', 'waiting for component app, still'] });
    expect(transitions(after, reportOn('shop', { package: later, revisions: next }))).toEqual([
      'shop: app Submitted (attempt 2): Deployment shop/app: 2 of 3 replicas are ready',
    ]);
  });

  it('name the end of a revision after its components', () => {
    const done = inTheMiddle.map((one) => ({
      ...one,
      status: { ...one.status, phase: 'Applied' as const, components: [{ name: 'app', state: 'Ready' as const }] },
    }));
    const lines = transitions(
      after,
      reportOn('shop', {
        package: pkg({ version: '1.1.0', ready: ['True', 'ReconciliationSucceeded', 'ok'] }),
        revisions: done,
      }),
    );
    expect(lines.slice(-3)).toEqual([
      'shop: app Ready',
      'shop: revision 2 (1.1.0) Applied',
      'shop: Ready: ReconciliationSucceeded: ok',
    ]);
  });

  it('say the reason of a failure and what a rollback restores', () => {
    const failed = pkg({ version: '1.0.0', ready: ['False', 'UpgradeRolledBack', 'component app: not ready in time'] });
    const restored = aRevision({ number: 3, version: '1.0.0', components: [aRevisionComponent('app')] });
    const revisions = [...inTheMiddle, { ...restored, spec: { ...restored.spec, restoredFrom: 1 } }];
    expect(transitions(after, reportOn('shop', { package: failed, revisions }))).toEqual([
      'shop: revision 3 (1.0.0, restores revision 1) begun',
      'shop: Failed: UpgradeRolledBack: component app: not ready in time',
    ]);
  });
});

describe('the status of a package', () => {
  const { now, paint } = moment;

  it('begins with the reason why, and goes on to components, conditions and history', () => {
    const [first, second] = inTheMiddle;
    const created = (revision: PackageRevision | undefined, time: string): PackageRevision[] =>
      revision === undefined ? [] : [{ ...revision, metadata: { ...revision.metadata, creationTimestamp: time } }];
    const revisions = [...created(first, '2029-12-30T22:10:00Z'), ...created(second, '2030-01-01T00:07:30Z')];
    const available = condition('Available', 'True', ['ReconciliationSucceeded', 'what runs is healthy']);
    const shown = pkg({
      version: '1.0.0',
      ready: ['False', 'Progressing', 'waiting for component app'],
      others: [available],
    });
    expect(statusReport(shown, revisions, { now, paint })).toEqual([
      'shop  Progressing  waiting for component app',
      '',
      'Last applied:  1.0.0',
      'Revision:      2 (1.1.0, Applying)',
      'Variant:       default',
      'Constraint:    any version',
      '',
      'COMPONENT        STATE       ATTEMPT   STARTED                READY AFTER   LEFT         MESSAGE',
      'migrate (hook)   Ready       1         -                      -             -',
      'store            Ready       1         2030-01-01T00:08:00Z   1m5s          -',
      'app              Submitted   2         2030-01-01T00:09:18Z   -             9m18s left   Deployment shop/app: 1 of 3 replicas are ready',
      'worker           Pending     0         -                      -             -            after app',
      '',
      'CONDITION   STATUS   SINCE   REASON                    MESSAGE',
      'Ready       False    3m      Progressing               waiting for component app',
      'Available   True     3m      ReconciliationSucceeded   what runs is healthy',
      '',
      'REVISION   VERSION   PHASE      AGE     NOTE',
      '2          1.1.0     Applying   2m30s',
      '1          1.0.0     Applied    1d2h',
    ]);
  });

  it.each([
    ['Version', 'Applied', '1.1.0'],
    ['Last applied', 'Failed', '1.0.0'],
    ['Last applied', 'Failed', ''],
  ] as const)(
    'says %s where the newest revision is %s, and which version its components are of',
    (title, phase, ran) => {
      const revisions = [aRevision({ number: 2, version: '1.1.0', status: { phase } })];
      const lines = statusReport(pkg({ version: ran, ready: ['False', 'UpgradeFailed', 'no'] }), revisions, {
        now,
        paint,
        tree: { scenes: [], all: false },
      });
      expect(lines.filter((line) => line.startsWith(`${title}:`))).toHaveLength(1);
      expect(lines).toContain(`shop 1.1.0 (revision 2, ${phase})`);
    },
  );

  it('tells what to do about a failure', () => {
    const failed = pkg({ version: '1.0.0', ready: ['False', 'RequirementsNotMet', 'package db is not installed'] });
    expect(statusReport(failed, [], { now, paint }).slice(0, 2)).toEqual([
      'shop  Waiting  RequirementsNotMet: package db is not installed',
      'hint: install what it requires; then it goes on by itself',
    ]);
  });

  it('is wrapped where it is redrawn', () => {
    const failed = pkg({
      version: '1.0.0',
      ready: ['False', 'UpgradeFailed', 'component app: the image cannot be pulled'],
    });
    const lines = statusReport(failed, inTheMiddle, { now, paint, columns: 90 });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(90);
    expect(lines.join(' ').replace(/ +/g, ' ')).toContain('component app: the image cannot be pulled');
  });

  it('is short for a package that was just created', () => {
    expect(statusReport(pkg(), [], { now, paint })).toEqual([
      'shop  Unknown  the operator has not looked at it yet',
      '',
      'Version:     none applied yet',
      'Revision:    none',
      'Variant:     default',
      'Constraint:  any version',
    ]);
  });
});
