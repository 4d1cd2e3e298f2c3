/** The connection to one MCP server, with limits of time and size, so that a bad server only affects its own calls. */
import {
  Client,
  type ClientOptions,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client';
import { Unusable, unusableBy } from './failure.ts';
import type { McpServerOptions } from './options.ts';
import { programTransport } from './program.ts';
import { httpTransport, type ServerTransport } from './server-transport.ts';

export interface McpTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

export interface McpResult {
  content: McpContent[];
  structuredContent?: unknown;
  isError?: boolean | undefined;
}

export type McpContent = { type: string } & Record<string, unknown>;

export interface McpConnection {
  /** Cached for a minute. */
  tools(): Promise<McpTool[]>;
  call(call: { tool: string; given: Record<string, unknown>; signal: AbortSignal }): Promise<McpResult>;
  close(): Promise<void>;
  /** Resolves with the reason when the connection becomes unusable; with undefined after `close`. */
  closed: Promise<string | undefined>;
  lastErrors: ServerTransport['lastErrors'];
}

/** `npx` and similar commands may have to download the program first. */
const START_SECONDS = 30;
const TOOLS_CACHE_MS = 60_000;
const MODERN = '2026-07-28';
/** The maximum number of pages of the list of tools. */
const MAX_PAGES = 8;

/** `signal` aborts the attempt. Throws `Unusable`. */
export async function openConnection(
  options: McpServerOptions,
  { folder, version, signal }: { folder: string; version: string; signal: AbortSignal },
): Promise<McpConnection> {
  const { command, timeout_seconds: seconds } = options;
  const connect = (server: ServerTransport, versionNegotiation: Negotiation) =>
    connectedBy(
      server,
      new Client({ name: 'skein', version }, { versionNegotiation, listMaxPages: MAX_PAGES }),
      { seconds, signal },
    );
  if (command === undefined) return connect(httpTransport(options), { mode: 'auto' });
  const program = () => programTransport({ ...options, command }, folder);
  // The package would start a second process to detect the protocol of the first.
  return connect(program(), { mode: 'legacy' }).catch((error) => {
    if (!(error instanceof Unusable) || !error.wantsModern) throw error;
    return connect(program(), { mode: { pin: MODERN } });
  });
}

type Negotiation = NonNullable<ClientOptions['versionNegotiation']>;

async function connectedBy(
  server: ServerTransport,
  client: Client,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
): Promise<McpConnection> {
  const { transport, lastErrors, kill } = server;
  const closed = Promise.withResolvers<string | undefined>();
  client.onclose = () => closed.resolve(server.reason());
  function drop(reason: string): void {
    closed.resolve(reason);
    kill();
    void client.close().catch(() => {});
  }
  const within = bounded({ ...server, seconds, drop });
  try {
    await client.connect(transport, { timeout: START_SECONDS * 1_000, signal });
  } catch (cause) {
    drop('it cannot be used');
    throw unusableBy(cause, { said: lastErrors(), seconds: START_SECONDS });
  }
  return {
    ...callsOf(client, within),
    closed: closed.promise,
    lastErrors,
    async close() {
      closed.resolve(undefined);
      await client.close();
    },
  };
}

type Within = <T>(work: (limits: { timeout: number }) => Promise<T>, signal?: AbortSignal) => Promise<T>;

function callsOf(client: Client, within: Within): Pick<McpConnection, 'tools' | 'call'> {
  let listed: { tools: McpTool[]; until: number } | undefined;
  return {
    async tools() {
      if (listed && listed.until > performance.now()) return listed.tools;
      const { tools } = await within((limits) => client.listTools(undefined, limits));
      listed = { tools, until: performance.now() + TOOLS_CACHE_MS };
      return tools;
    },
    async call({ tool: name, given, signal }) {
      const called = (limits: object) => client.callTool({ name, arguments: given }, { ...limits, signal });
      return within(called, signal).catch((error) => refusalOf(error));
    },
  };
}

/** Converts an error that the server returns for a call, such as invalid arguments, to a result. Throws all other errors. */
function refusalOf(error: unknown): McpResult {
  const refusal = error instanceof Unusable ? error.cause : undefined;
  if (!(refusal instanceof ProtocolError) || refusal.code === ProtocolErrorCode.InternalError) throw error;
  return { isError: true, content: [{ type: 'text', text: refusal.message }] };
}

interface Bounds extends ServerTransport {
  seconds: number;
  drop(reason: string): void;
}

/**
 * Limits the time of calls. If a program has sent nothing since the call began, it counts as dead, and the next use restarts
 * it.
 */
function bounded({ isProgram, lastErrors, seconds, drop, respondedSince: heardSince }: Bounds): Within {
  return async (work, signal) => {
    const began = performance.now();
    try {
      return await work({ timeout: seconds * 1_000 });
    } catch (cause) {
      if (signal?.aborted) throw cause;
      const isLate = cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout;
      if (isLate && isProgram && !heardSince(began)) drop('it stopped answering');
      if (isDisconnected(cause)) drop('the connection was lost');
      throw unusableBy(cause, { said: lastErrors(), seconds });
    }
  };
}

/** Whether the session has ended or the server is unavailable. */
function isDisconnected(error: unknown): boolean {
  if (error instanceof SdkHttpError) return true;
  return !(error instanceof SdkError) && !(error instanceof ProtocolError);
}
