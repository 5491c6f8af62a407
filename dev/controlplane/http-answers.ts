import { get } from 'node:http';

/** Whether a server on the loopback answers with one of these status codes. */
export function httpAnswers(port: number, path: string, codes: readonly number[] = [200]): Promise<boolean> {
  return new Promise((resolve) => {
    const outgoing = get({ host: '127.0.0.1', port, path, agent: false, timeout: 2_000 }, (response) => {
      response.resume();
      resolve(codes.includes(response.statusCode ?? 0));
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', () => {
      resolve(false);
    });
  });
}
