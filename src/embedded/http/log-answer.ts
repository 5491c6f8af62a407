import type { Target, Watching } from '../model/api.ts';
import { type Answer, textAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { flagOf, logOptions } from './query.ts';
import { openStream } from './stream.ts';

/** A container's log as far as it goes, or as a stream that follows it. */
export function logAnswer(call: Call, target: Target): Answer | undefined {
  const log = call.serving.api.log(target, logOptions(call));
  if (!log.isThere) return { status: 204, body: '' };
  if (!flagOf(call.query, 'follow')) return { ...textAnswer(log.text), type: 'text/plain' };
  const followed: Watching[] = [];
  const stream = openStream(call, {
    type: 'text/plain',
    onClose: () => {
      for (const watching of followed) watching.stop();
    },
  });
  if (log.text !== '') stream.write(log.text);
  followed.push(
    log.follow(
      (text) => {
        stream.write(text);
      },
      () => {
        stream.end();
      },
    ),
  );
  return undefined;
}
