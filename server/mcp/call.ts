/** A request to the MCP endpoint, in the form that handlers receive. */
import type { Services } from '../services.ts';

export interface McpCall {
  services: Services;
  /** Aborts when the client closes the connection. */
  request: Request;
  owner: string;
  requestId: string;
  traceparent: string | undefined;
}
