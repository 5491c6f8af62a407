import { describe, expect, it } from 'vitest';
import { PodHistory } from './pod-history.ts';

const STORE = { name: 'store', app: 'store' };
const T = (second: number): string => `2026-01-01T00:00:0${String(second)}Z`;

function historyOf(...lines: readonly string[]): PodHistory {
  const history = new PodHistory();
  for (const line of lines) history.tell(line);
  return history;
}

describe('the history of pods', () => {
  it('knows when the first was made and the last became ready', () => {
    const history = historyOf(
      `store  store-0  10  ${T(1)}  <none>  <none>  <none>`,
      `store  store-0  12  ${T(1)}  <none>  False   ${T(1)}`,
      `store  store-0  14  ${T(1)}  <none>  True    ${T(2)}`,
      `store  store-1  15  ${T(2)}  <none>  <none>  <none>`,
      `store  store-1  19  ${T(2)}  <none>  True    ${T(3)}`,
      `store  store-0  23  ${T(1)}  <none>  True    ${T(2)}`,
    );
    expect(history.momentOf(STORE)).toEqual({ component: 'store', made: T(1), madeBy: 10, ready: T(3), readyBy: 19 });
  });

  it('says nothing while a pod is not ready, or there is none', () => {
    expect(historyOf(`store  store-0  10  ${T(1)}  <none>  <none>  <none>`).momentOf(STORE)).toBeUndefined();
    expect(historyOf('', 'nonsense', `app  app-0  10  ${T(1)}  <none>  True  ${T(1)}`).momentOf(STORE)).toBeUndefined();
  });

  it('leaves out pods of the version before, and those that go', () => {
    const history = historyOf(`store  old  10  ${T(1)}  <none>  True  ${T(1)}`);
    history.beginVersion();
    history.tell(`store  new    20  ${T(4)}  <none>  True  ${T(5)}`);
    history.tell(`store  old    21  ${T(1)}  ${T(5)}  True  ${T(1)}`);
    history.tell(`store  crash  18  ${T(3)}  ${T(5)}  False  ${T(3)}`);
    expect(history.momentOf(STORE)).toMatchObject({ madeBy: 20, readyBy: 20 });
  });
});
