/** The transport to an MCP server, with its state. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.ts';
import type { McpServerOptions } from './options.ts';

export interface ServerTransport {
  transport: Transport;
  isProgram: boolean;
  /** Whether a program has sent anything since the time. */
  respondedSince(time: number): boolean;
  /** The last lines of a program's standard error. */
  lastErrors(): string;
  /** Why the server has closed the connection. */
  reason(): string;
  /** Kills a program immediately. `transport.close` gives it time to exit. */
  kill(): void;
}

export function httpTransport({ url = '', headers }: McpServerOptions): ServerTransport {
  const requests = { requestInit: { headers }, fetch: boundedFetch };
  return {
    transport: new StreamableHTTPClientTransport(new URL(url), requests),
    isProgram: false,
    respondedSince: () => true,
    lastErrors: () => '',
    reason: () => 'the connection was lost',
    kill: () => {},
  };
}
