/** A request to the MCP endpoint, as it is passed to the handlers. */
import type { Services } from '../services.ts';

export interface McpCall {
  services: Services;
  /** Aborts when the client closes the connection. */
  request: Request;
  owner: string;
  requestId: string;
  traceparent: string | undefined;
}
