/**
 * The configured MCP servers. Each is started at its first use, restarted at the next use after it has ended, and stopped with
 * the service.
 */
import { configurationError, SkeinError } from '../../state/errors.ts';
import type { McpConnection, McpResult, McpTool } from './connection.ts';
import type { McpServerOptions, McpServersOptions } from './options.ts';

export interface McpServers {
  /** Throws CONFIGURATION_ERROR for a name that is not configured, MCP_SERVER_FAILED, or the signal's reason. */
  tools(server: string, signal: AbortSignal): Promise<McpTool[]>;
  /** Throws the same errors. A failure of the tool itself is a result. */
  call(server: string, call: McpCall): Promise<McpResult>;
  /** The state of each server. Doesn't start any of them. */
  states(): McpServerState[];
  close(): Promise<void>;
}

interface McpCall {
  tool: string;
  given: Record<string, unknown>;
  signal: AbortSignal;
}

interface McpServerState {
  server: string;
  state: 'unused' | 'running' | 'failed';
  /** The reason of the last failure. */
  reason?: string;
}

export interface McpParts {
  options: McpServersOptions;
  /** The working directory of programs: the folder of the project. */
  folder: string;
  /** The service's version, which is sent to servers. */
  version: string;
  log: Pick<import('pino').Logger, 'info' | 'warn'>;
}

/** The pause before a server that failed to start is started again. Until then, calls fail immediately. */
const PAUSE_MS = 1_000;

export function openMcpServers({ options, folder, version, log }: McpParts): McpServers {
  const opened = new Map<string, Promise<McpConnection>>();
  const failures = new Map<string, { reason: string; at: number }>();
  const running = new Set<string>();
  const closing = new AbortController();

  function connection(server: string): Promise<McpConnection> {
    const known = opened.get(server);
    if (known) return known;
    const own = Object.hasOwn(options, server) ? options[server] : undefined;
    if (!own) throw unknownServer(server, Object.keys(options));
    const failed = failures.get(server);
    if (failed && performance.now() - failed.at < PAUSE_MS) throw serverFailed(server, failed.reason);
    if (closing.signal.aborted) throw serverFailed(server, 'the service is stopping');
    const opening = open(server, own);
    opened.set(server, opening);
    return opening;
  }

  async function open(server: string, own: McpServerOptions): Promise<McpConnection> {
    const forget = () => {
      opened.delete(server);
      running.delete(server);
    };
    try {
      // Load the client with the first server, because most services use none.
      const { openConnection } = await import('./connection.ts');
      const made = await openConnection(own, { folder, version, signal: closing.signal });
      failures.delete(server);
      running.add(server);
      log.info({ mcp_server: server }, 'MCP server connected');
      void made.closed.then((reason) => {
        forget();
        if (reason === undefined) return;
        failures.set(server, { reason, at: Number.NEGATIVE_INFINITY });
        log.warn({ mcp_server: server, reason, said: made.lastErrors() }, 'MCP server lost');
      });
      return made;
    } catch (cause) {
      forget();
      const { reason, said } = reasonOf(cause);
      failures.set(server, { reason, at: performance.now() });
      log.warn({ mcp_server: server, reason, said }, 'MCP server cannot be used');
      throw serverFailed(server, reason, cause);
    }
  }

  /** Rejects when the signal aborts. The start and the calls continue for other callers. */
  async function using<T>(
    server: string,
    signal: AbortSignal,
    work: (made: McpConnection) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      const made = await Promise.race([connection(server), aborted.promise]);
      return await Promise.race([work(made), aborted.promise]);
    } catch (error) {
      if (error instanceof SkeinError || signal.aborted) throw error;
      throw serverFailed(server, reasonOf(error).reason, error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  return {
    tools: (server, signal) => using(server, signal, (made) => made.tools()),
    call: (server, call) => using(server, call.signal, (made) => made.call(call)),
    states: () =>
      Object.keys(options).map((server) => {
        const reason = failures.get(server)?.reason;
        if (running.has(server)) return { server, state: 'running' as const };
        return reason === undefined ? { server, state: 'unused' } : { server, state: 'failed', reason };
      }),
    async close() {
      closing.abort();
      const all = await Promise.allSettled(opened.values());
      await Promise.all(all.map(async (one) => one.status === 'fulfilled' && (await one.value.close())));
    },
  };
}

/** The reason in an error of `openConnection` or of the connection's methods. */
function reasonOf(error: unknown): { reason: string; said?: string } {
  const { reason = 'it does not speak MCP', said } = error as { reason?: string; said?: string };
  return { reason, ...(said !== undefined && { said }) };
}

function serverFailed(server: string, reason: string, cause?: unknown): SkeinError {
  return new SkeinError('MCP_SERVER_FAILED', { detail: `mcp_servers.${server}: ${reason}`, cause });
}

function unknownServer(server: string, names: string[]): SkeinError {
  const known =
    names.length > 0 ? `; the configured servers are: ${names.join(', ')}` : '; no server is configured';
  const shown = /^[\w-]{1,64}$/.test(server) ? `'${server}'` : 'of that name';
  return configurationError('mcp_servers', `server ${shown} is not configured${known}`);
}
