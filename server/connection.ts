/** What a socket knows of a request. */

export interface Connection {
  /** Called once the request is there whole, its body included. */
  received(): void;
  /** Of the other side of the socket. */
  address: string;
  /** Makes a WebSocket of it; false where the request asks for none. Its answer is sent, and no other one is. */
  takeOver(end: SocketEnd): boolean;
}

/** The service's end of a WebSocket. */
export interface SocketEnd {
  opened(socket: OpenSocket): void;
  /** Undefined for a message that is not text. */
  received(text: string | undefined): void;
  /** What was sent before has been taken. */
  drained(): void;
  closed(): void;
}

export interface OpenSocket {
  /** False where the other side takes it later: what is sent before `drained` is held in memory. */
  send(text: string): boolean;
  close(code: number, reason: string): void;
}

/** What is known of a request beside what it says. */
export interface Connections {
  /** The address of the client; empty where there is no socket. */
  addressOf(request: Request): string;
  /** See `Connection.takeOver`; false where there is no socket. */
  takeOver(request: Request, end: SocketEnd): boolean;
  /** See `Guard.countChat`. */
  countChat(request: Request): Promise<void>;
  /** Where the client reaches the service, without a path: `https://example.org`. */
  originOf(request: Request): string;
}
