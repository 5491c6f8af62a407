/** What a pure function answers for objects that never change: worked out once for each, for as long as it is there. */
export function memoize<K extends object, V>(answerFor: (key: K) => V): (key: K) => V {
  const known = new WeakMap<K, { readonly answer: V }>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found.answer;
    const answer = answerFor(key);
    known.set(key, { answer });
    return answer;
  };
}

/** The same for an answer that takes its time; after one that failed it is asked again. */
export function memoizeAsync<K extends object, V>(answerFor: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const known = new WeakMap<K, Promise<V>>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const answer = answerFor(key);
    known.set(key, answer);
    answer.catch(() => known.delete(key));
    return answer;
  };
}

/** The same for two objects: of the answers for the first one, that for the latest second one is kept. */
export function memoizeLatest<K extends object, L, V>(answerFor: (key: K, other: L) => V): (key: K, other: L) => V {
  const known = new WeakMap<K, { readonly other: L; readonly answer: V }>();
  return (key, other) => {
    const found = known.get(key);
    if (found?.other === other) return found.answer;
    const answer = answerFor(key, other);
    known.set(key, { other, answer });
    return answer;
  };
}
