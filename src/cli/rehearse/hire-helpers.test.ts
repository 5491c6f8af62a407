import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import type { Recording } from '../../compose/rehearsal/rehearsals.ts';
import { CALM_SCENARIO } from '../../embedded/scenario/index.ts';
import type { FromHelper, ToHelper } from './helper.ts';
import { HelperThread } from './hire-helpers.ts';
import type { RehearsalResult } from './rehearsal-case.ts';

class FakeThread extends EventEmitter {
  readonly heard: ToHelper[] = [];

  postMessage(message: ToHelper): void {
    this.heard.push(message);
  }

  say(message: FromHelper): void {
    this.emit('message', message);
  }
}

const RULE = { match: {}, behaviour: 'never-ready' } as const;
const OTHER_RULE = { match: {}, behaviour: 'fail' } as const;
const RESULT = { ending: 'applied' } as RehearsalResult;

function aHelper(): {
  readonly thread: FakeThread;
  readonly helper: HelperThread;
  readonly lines: string[];
  readonly used: object[];
} {
  const [thread, lines, used] = [new FakeThread(), [] as string[], [] as object[]];
  const scenario = { ...CALM_SCENARIO, workloads: [RULE], jobs: [OTHER_RULE] };
  const ears = { onLog: (line: string) => lines.push(line), onUsed: (rule: object) => used.push(rule) };
  return { thread, helper: new HelperThread(thread, { scenario }, ears), lines, used };
}

describe('a helper in another thread', () => {
  it('plays several upgrades at once, and tells their results apart', async () => {
    const { thread, helper } = aHelper();
    const plays = [helper.play({ failures: [], killAfter: 3 }), helper.play({ failures: [], killAfter: 4 })];
    expect(thread.heard).toEqual([
      { kind: 'play', number: 1, what: { failures: [], killAfter: 3 } },
      { kind: 'play', number: 2, what: { failures: [], killAfter: 4 } },
    ]);
    const second = { ...RESULT, ending: 'stopped' } as const;
    thread.say({ kind: 'played', number: 2, result: second });
    thread.say({ kind: 'played', number: 1, result: RESULT });
    expect(await Promise.all(plays)).toEqual([RESULT, second]);
  });

  it('is told what was seen of the upgrade in which the operator is to be killed', () => {
    const { thread, helper } = aHelper();
    const recording = { deeds: [] } as unknown as Recording;
    helper.learn(recording);
    expect(thread.heard).toEqual([{ kind: 'learn', recording }]);
  });

  it('fails as the upgrade failed there', async () => {
    const { thread, helper } = aHelper();
    const play = helper.play({ failures: [] });
    const error = { code: 'DeadlineExceeded', message: 'it does not come to an end', hint: 'look at it' } as const;
    thread.say({ kind: 'failed', number: 1, error });
    await expect(play).rejects.toMatchObject(error);
  });

  it.each([
    ['it breaks', 'error', new Error('out of memory'), 'out of memory'],
    ['it ends', 'exit', 1, 'has ended before its time'],
  ])('fails for everybody, and from then on, when %s', async (_what, event, told, message) => {
    const { thread, helper } = aHelper();
    const error = { code: 'Internal', message: expect.stringContaining(message) as unknown };
    const play = expect(helper.play({ failures: [] })).rejects.toMatchObject(error);
    thread.emit(event, told);
    await play;
    await expect(helper.play({ failures: [] })).rejects.toMatchObject(error);
  });

  it('passes on what is logged there, and which rules of the scenario are used', () => {
    const { thread, lines, used } = aHelper();
    thread.say({ kind: 'log', line: 'hello\n' });
    thread.say({ kind: 'used', rule: 1 });
    thread.say({ kind: 'used', rule: 9 });
    expect(lines).toEqual(['hello\n']);
    expect(used).toEqual([OTHER_RULE]);
  });

  it('has ended when its thread has', async () => {
    const { thread, helper } = aHelper();
    const order: string[] = [];
    const end = helper.end().then(() => order.push('ended'));
    expect(thread.heard).toEqual([{ kind: 'end' }]);
    order.push('told');
    thread.emit('exit', 0);
    await end;
    expect(order).toEqual(['told', 'ended']);
  });
});
