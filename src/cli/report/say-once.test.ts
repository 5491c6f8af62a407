import { describe, expect, it } from 'vitest';
import { aPackage, aRevision } from '../../../test/build/objects.ts';
import { sayOnce } from './say-once.ts';
import { statusReport } from './status-report.ts';

const CAUSE = 'Deployment shop/app: 0 of 3 replicas available; pod app-1: container main cannot pull image app:2';

describe('what a report says', () => {
  it.each([
    ['is said again where it is short', ['1 of 3', '1 of 3'], ['1 of 3', '1 of 3']],
    ['is said once where it is long', [CAUSE, CAUSE], [CAUSE, 'as above']],
    ['is said once where more was said before', [`app: ${CAUSE}!`, CAUSE], [`app: ${CAUSE}!`, 'as above']],
    [
      'refers to a cause inside of another text',
      [CAUSE, `app: ${CAUSE}; nothing`],
      [CAUSE, 'app: (as above); nothing'],
    ],
    [
      'refers to a cause that stood inside of another text',
      [`app (2 of 2): ${CAUSE}, until noon`, `component app: ${CAUSE}`],
      [`app (2 of 2): ${CAUSE}, until noon`, 'component app: (as above)'],
    ],
    [
      'refers to the longest part that was said',
      [`web: ${CAUSE}`, `web: ${CAUSE}, until noon; more`],
      [`web: ${CAUSE}`, '(as above), until noon; more'],
    ],
    ['refers to nothing that was not said', ['app', `app: ${CAUSE}; x`], ['app', `app: ${CAUSE}; x`]],
  ])('%s', (_say, texts, expected) => {
    expect(texts.map(sayOnce())).toEqual(expected);
  });

  it.each([true, false])('holds for the status of a failed package, with a tree: %s', (isTree) => {
    const why = `component app (2 of 2): ${CAUSE}; nothing is retried until the package changes`;
    const since = { lastTransitionTime: '2030-01-01T00:00:00Z', reason: 'UpgradeFailed', message: why } as const;
    const conditions = [
      { type: 'Ready', status: 'False', ...since },
      { type: 'Stalled', status: 'True', ...since },
    ] as const;
    const failed = { phase: 'Failed', message: `component app: ${CAUSE}` } as const;
    const components = [{ name: 'app', state: 'Failed', attempt: 1, message: CAUSE }] as const;
    const failure = { component: 'app', code: 'ComponentFailed', message: CAUSE };
    const revision = aRevision({ number: 2, status: { ...failed, components: [...components], failure } });
    const lines = statusReport({ ...aPackage(), status: { conditions: [...conditions] } }, [revision], {
      now: 0,
      paint: (_style, text) => text,
      ...(isTree ? { tree: { scenes: [], all: false } } : {}),
    });
    expect(lines.join('\n').split(CAUSE)).toHaveLength(2);
    expect(lines.join('\n').split('as above').length).toBeGreaterThan(4);
  });
});
