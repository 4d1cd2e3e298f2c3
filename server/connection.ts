/** The part of a request that only its socket knows: the peer's address, timeouts and WebSocket upgrades. */

export interface Connection {
  /** Must be called when the whole request, with its body, has arrived. */
  received(): void;
  /** The address of the peer. */
  address: string;
  /**
   * Upgrades the connection to a WebSocket and sends the handshake. Any other response to the request is dropped. Returns false
   * if the request asks for no upgrade.
   */
  upgrade(end: SocketEnd): boolean;
}

/** The service's end of a WebSocket. */
export interface SocketEnd {
  opened(socket: OpenSocket): void;
  /** `text` is undefined for a binary message. */
  received(text: string | undefined): void;
  /** The send buffer is empty again. */
  drained(): void;
  closed(): void;
}

export interface OpenSocket {
  /** Returns false if the peer reads too slowly: until `drained`, everything that is sent is buffered in memory. */
  send(text: string): boolean;
  close(code: number, reason: string): void;
}

/** Facts about a request that are not in the request itself. */
export interface Connections {
  /** The client's address. Empty if the request came without a socket. */
  addressOf(request: Request): string;
  /** See `Connection.upgrade`. Returns false if the request came without a socket. */
  upgrade(request: Request, end: SocketEnd): boolean;
  /** See `Guard.countChat`. */
  countChat(request: Request): Promise<void>;
  /** The origin under which the client reaches the service, such as `https://example.org`. */
  originOf(request: Request): string;
}
