/** Sends messages over a WebSocket no faster than the other side takes them. */
import type { OpenSocket } from '../../connection.ts';

export interface SocketSender {
  open(socket: OpenSocket): void;
  /** Resolves when the next one may be sent; once the socket is closed, at once. */
  send(message: object): Promise<void>;
  drained(): void;
  close(code: number, reason: string): void;
  closed(): void;
}

export function socketSender(): SocketSender {
  let socket: OpenSocket | undefined;
  let free = Promise.withResolvers<void>();
  free.resolve();

  return {
    open(opened) {
      socket = opened;
    },
    async send(message) {
      await free.promise;
      if (!socket || socket.send(JSON.stringify(message))) return;
      free = Promise.withResolvers();
      await free.promise;
    },
    drained: () => free.resolve(),
    close: (code, reason) => socket?.close(code, reason),
    closed() {
      socket = undefined;
      free.resolve();
    },
  };
}
