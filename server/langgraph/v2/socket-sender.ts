/** Sends messages over a WebSocket with backpressure. */
import type { OpenSocket } from '../../connection.ts';

export interface SocketSender {
  open(socket: OpenSocket): void;
  /** Resolves when the next message may be sent. Resolves immediately if the socket is closed. */
  send(message: object): Promise<void>;
  drained(): void;
  close(code: number, reason: string): void;
  closed(): void;
}

export function socketSender(): SocketSender {
  let socket: OpenSocket | undefined;
  let ready = Promise.withResolvers<void>();
  ready.resolve();

  return {
    open(opened) {
      socket = opened;
    },
    async send(message) {
      await ready.promise;
      if (!socket || socket.send(JSON.stringify(message))) return;
      ready = Promise.withResolvers();
      await ready.promise;
    },
    drained: () => ready.resolve(),
    close: (code, reason) => socket?.close(code, reason),
    closed() {
      socket = undefined;
      ready.resolve();
    },
  };
}
