/** What a socket knows of a request. */

export interface Connection {
  /** Called once the request is there whole, its body included. */
  received(): void;
  /** Of the other side of the socket. */
  address: string;
}
