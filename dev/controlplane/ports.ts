import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

// Below the range that Linux and macOS give to outgoing connections, so that none takes the port in between.
const LOWEST = 20_000;
const HIGHEST = 32_000;

export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count && tries < 1_000; tries += 1) {
    const port = randomInt(LOWEST, HIGHEST);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  if (ports.size < count)
    throw new Error(`No free ports between ${String(LOWEST)} and ${String(HIGHEST)} on 127.0.0.1.`);
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      server.close(() => {
        resolve(true);
      }),
    );
  });
}
