import { describe, expect, it } from 'vitest';
import { LogBook } from './log-book.ts';

const PLACE = { namespace: 'default', pod: 'web-0', container: 'web' };

const textsOf = (book: LogBook, previous: boolean): readonly string[] | undefined =>
  book.lines({ ...PLACE, previous })?.map(({ text }) => text);

/** Its container has run twice. */
function run(book: LogBook): void {
  book.begin(PLACE);
  book.write(PLACE, { time: 1, text: 'first' });
  book.end(PLACE);
  book.begin(PLACE);
  book.write(PLACE, { time: 2, text: 'second' });
}

describe('what containers wrote', () => {
  it('is taken over to another book, which goes on from there', () => {
    const book = new LogBook();
    run(book);
    const next = new LogBook(structuredClone(book.content()));
    next.write(PLACE, { time: 3, text: 'third' });
    expect([textsOf(next, true), textsOf(next, false)]).toEqual([['first'], ['second', 'third']]);
    expect(textsOf(book, false)).toEqual(['second']);
  });

  it('is repeated in another book, deed by deed, until nobody observes any more', () => {
    const [book, other] = [new LogBook(), new LogBook()];
    const stop = book.observe((deed) => {
      other.repeat(deed);
    });
    run(book);
    expect(other.content()).toEqual(book.content());
    book.drop(PLACE);
    expect(other.content()).toEqual([]);
    stop();
    book.begin(PLACE);
    expect(other.content()).toEqual([]);
  });
});
