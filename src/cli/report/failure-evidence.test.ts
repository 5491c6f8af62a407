import { describe, expect, it } from 'vitest';
import { aPackage, aRevision } from '../../../test/build/objects.ts';
import { nodeTrouble } from '../text/node-trouble.ts';
import { tellingFindings } from './failure-evidence.ts';
import { reportOn } from './package-report.ts';

const CAUSE = 'Job shop/migrate: failed: BackoffLimitExceeded';
const FAILED = `hook migrate (1 of 1): ${CAUSE}`;
const LOG_TROUBLE =
  'the log of container main could not be read: Get "https://worker-1:10250/containerLogs/shop/web/main?tailLines=50": dial tcp: lookup worker-1 on 10.96.0.10:53: no such host';

/** The message of a package whose upgrade has failed, with what was seen of that. */
function messageOf(message: string, findings: readonly string[]): string {
  const failure = { component: 'migrate', code: 'ComponentFailed', message: CAUSE };
  const evidence = { component: 'migrate', findings: [...findings] };
  const revisions = [
    aRevision({ number: 2, status: { phase: 'Failed', failure, evidence } }),
    aRevision({ number: 3, status: { phase: 'Applied' } }),
  ].map((revision, index) => ({ ...revision, spec: { ...revision.spec, restoredFrom: index } }));
  const ready = { type: 'Ready', status: 'False', reason: 'UpgradeRolledBack', message } as const;
  const conditions = [{ ...ready, lastTransitionTime: '2030-01-01T00:00:00Z' }];
  return reportOn('shop', { package: { ...aPackage(), status: { conditions } }, revisions }).message;
}

describe('the line about a failed hook', () => {
  const ended = 'Pod shop/migrate-x7k2p: container main exited with code 3 (Error), restarts: 2';

  it.each([
    ['names the exit code that was seen', FAILED, [ended], `${FAILED}; container main exited with code 3 (Error)`],
    [
      'names it where the cause stands',
      `${FAILED}; nothing else was changed`,
      [ended],
      `${FAILED}; container main exited with code 3 (Error); nothing else was changed`,
    ],
    ['says it once', `${FAILED}; container main last ended with exit code 3`, [ended], undefined],
    ['names none of another pod', FAILED, [ended.replaceAll('migrate', 'web')], undefined],
    ['names none where none was seen', FAILED, ['Job shop/migrate: failed'], undefined],
    ['names none where no Job failed', 'Deployment shop/migrate: 0 of 1 replicas available', [ended], undefined],
  ])('%s', (_say, message, findings, expected = message) => {
    expect(messageOf(message, findings)).toBe(expected);
  });
});

describe('what was seen of a failure', () => {
  const of = (pod: string): string => `Pod shop/${pod}: container web exited with code 1`;

  it.each([
    ['is told once', [of('web-0'), of('web-0')], [of('web-0')]],
    ['leaves out what the message says', ['Job shop/x: failed'], []],
    [
      'leaves out the pods of a former template',
      [of('web-5d9f7c-x2x4k'), of('web-5d9f7c-z2x4k'), of('web-7d9f7c-x2x4k'), of('db-7d9f7c-x2x4k')],
      [of('web-5d9f7c-x2x4k'), of('web-5d9f7c-z2x4k'), of('db-7d9f7c-x2x4k')],
    ],
    ['keeps pods of Jobs whose names are alike', [of('db-migration-x2x4k'), of('db-cleaning-x2x4k')], undefined],
    [
      'tells the cause of a log that cannot be had, last',
      [LOG_TROUBLE, of('web-0')],
      [of('web-0'), 'the log of container main could not be read: node worker-1 does not answer: no such host'],
    ],
  ])('%s', (_say, findings, expected = findings) => {
    expect(tellingFindings(findings, 'app: Job shop/x: failed')).toEqual(expected);
  });

  it('is left as it is where no node is asked', () => {
    expect(nodeTrouble('Get "https://registry.example.org/v2/": no such host')).toContain('/v2/');
  });
});
