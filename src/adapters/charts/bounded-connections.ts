import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * No more than so many connections at once. A further one takes the place of the one that has been without a request
 * for longest, so that those who hold theirs for nothing keep nobody out.
 */
export function boundConnections(server: Server, most: number): void {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const [oldest] = open;
    if (open.size >= most) oldest?.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }) => {
    if (open.delete(socket)) open.add(socket);
  });
}
