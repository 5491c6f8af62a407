import { type Call, trafficOf } from './call.ts';

/** An answer that goes on until the client, the time or the server ends it. */
export interface Stream {
  write(text: string): void;
  end(): void;
}

/** What a client may leave unread before it is given up. */
const MAX_UNREAD_BYTES = 64 * 1024 * 1024;

/** Begins such an answer; `onClose` is called once, however it ends. */
export function openStream(
  { serving, response, ...call }: Call,
  { type, onClose }: { readonly type: string; readonly onClose: () => void },
): Stream {
  const traffic = serving.traffic?.watched(trafficOf({ serving, response, ...call }));
  const end = (): void => {
    response.end();
  };
  response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-cache, private' });
  response.flushHeaders();
  serving.closing.addEventListener('abort', end);
  response.on('close', () => {
    serving.closing.removeEventListener('abort', end);
    onClose();
    traffic?.ended();
  });
  return {
    write: (text) => {
      if (response.writableEnded || response.destroyed) return;
      traffic?.sent();
      response.write(text);
      if (response.writableLength > MAX_UNREAD_BYTES) response.destroy();
    },
    end,
  };
}
