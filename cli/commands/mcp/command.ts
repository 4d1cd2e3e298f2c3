/** `skein mcp`: MCP over standard input and output, for programs that start their servers themselves. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { configurationError } from '../../../state/errors.ts';
import { connect } from '../../service/connect.ts';
import { onStopSignal } from '../../service/process/stop-signals.ts';
import { takeFlags } from '../../terminal/own-flags.ts';
import { bridge } from './bridge.ts';
import { takeStandardOutput } from './standard-output.ts';

/** Returns the exit code when its client has disconnected; throws CONFIGURATION_ERROR for a wrong command line. */
export async function mcpCommand(argv: string[]): Promise<number> {
  const { own, words, rest } = takeFlags(argv, [{ name: '--url', takes: 'http://localhost:8080' }]);
  if (words.length > 0) throw configurationError('arguments', 'expected only flags, as in skein mcp');
  const output = takeStandardOutput();
  const { url, headers, fetch, close } = await connect({
    flags: rest,
    url: own.get('--url'),
    env: process.env,
  });
  const stdio = new StdioServerTransport(process.stdin, output);
  const http = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    fetch: (to, init) => fetch(String(to), init ?? {}),
    requestInit: { headers },
  });
  onStopSignal({ stop: () => stdio.close(), exit: () => process.exit(1) });
  try {
    await bridge(stdio, http);
  } finally {
    await close();
  }
  return 0;
}
