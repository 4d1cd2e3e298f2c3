/** The way to an MCP server, and what is known of it. */
import { StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { boundedFetch } from './bounded-fetch.ts';
import type { McpServerOptions } from './options.ts';

export interface Line {
  transport: Transport;
  isProgram: boolean;
  /** Whether a program has sent anything since then. */
  heardSince(time: number): boolean;
  /** What a program said last on standard error. */
  lastErrors(): string;
  /** Why it was closed from its side. */
  reason(): string;
  /** Ends a program at once; `transport.close` gives it time. */
  kill(): void;
}

export function lineOverHttp({ url = '', headers }: McpServerOptions): Line {
  const requests = { requestInit: { headers }, fetch: boundedFetch };
  return {
    transport: new StreamableHTTPClientTransport(new URL(url), requests),
    isProgram: false,
    heardSince: () => true,
    lastErrors: () => '',
    reason: () => 'the connection was lost',
    kill: () => {},
  };
}
