/** Official MCP clients over a running service, closed with the test. */
import { onTestFinished } from 'bun:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

export interface ConnectOptions {
  /** `legacy` speaks the revisions of 2025, with `initialize`. */
  mode?: 'auto' | 'legacy';
  headers?: Record<string, string>;
  /** What the user enters into a form; undefined closes it. Without this option, the client supports no forms. */
  person?: (message: string) => string | undefined;
}

export async function connected(url: string, options: ConnectOptions = {}): Promise<Client> {
  const { mode = 'auto', headers = {}, person } = options;
  const client = new Client(
    { name: 'test', version: '1' },
    {
      versionNegotiation: { mode },
      ...(person && { capabilities: { elicitation: { form: {} } } }),
    },
  );
  if (person)
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      const value = person(params.message);
      return value === undefined ? { action: 'decline' } : { action: 'accept', content: { value } };
    });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** The client of the package's first version, which most programs use. */
export async function firstConnected(url: string): Promise<FirstClient> {
  const client = new FirstClient({ name: 'test', version: '1' });
  await client.connect(new FirstTransport(new URL(`${url}/mcp`)) as never);
  onTestFinished(() => client.close());
  return client;
}

/** The text of a result's first block. */
export function textOf({ content }: { content: unknown }): string {
  const [first] = content as { text?: string }[];
  return first?.text ?? '';
}

// biome-ignore lint/suspicious/noExplicitAny: the test reads arbitrary JSON of a response
export function structured({ structuredContent }: { structuredContent?: any }): any {
  return structuredContent;
}
