/** An MCP server over standard streams, built with the official package of either version; its tools misbehave in many ways. */
import { appendFileSync } from 'node:fs';

// `first` is the package's first version, `modern` serves the revision of 2026 alone.
const [kind = 'first', starts] = process.argv.slice(2);
if (starts !== undefined) appendFileSync(starts, `${process.pid}\n`);
if (kind === 'silent') await new Promise(() => {});
if (kind === 'dead') process.exit(3);
if (kind === 'loud') {
  process.stderr.write(`the key is ${process.env.SECRET}\n`);
  process.exit(3);
}

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

function flood(line: string): void {
  for (let round = 0; round < 200; round++) process.stdout.write(line.repeat(500));
  setTimeout(() => flood(line));
}

/** By the first word of the argument. */
async function act({ what }: { what: string }) {
  const [verb = '', ...rest] = what.split(' ');
  if (verb === 'say') return text(rest.join(' '));
  if (verb === 'fail') return { ...text('it failed on purpose'), isError: true };
  if (verb === 'environment') return text(JSON.stringify(process.env));
  if (verb === 'folder') return text(process.cwd());
  if (verb === 'structured') return { ...text('see there'), structuredContent: { n: 1 } };
  if (verb === 'image') return { content: [{ type: 'image' as const, mimeType: 'image/png', data: 'AAAA' }] };
  if (verb === 'wide') return { ...text('see there'), structuredContent: { x: 'x'.repeat(600_000) } };
  if (verb === 'long') return text('x'.repeat(200_000));
  if (verb === 'huge') return text('x'.repeat(5 * 2 ** 20));
  if (verb === 'die') process.exit(4);
  if (verb === 'flood')
    flood('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":1}}\n');
  if (verb === 'garbage') flood('this is no message\n');
  if (verb === 'block') for (;;);
  return new Promise<never>(() => {});
}

const description = 'Does what it is told';
if (kind === 'first') {
  const { McpServer } = await import('@modelcontextprotocol/sdk/server/mcp.js');
  const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js');
  const { z } = await import('zod');
  const server = new McpServer({ name: 'scripted', version: '1' });
  server.registerTool('act', { description, inputSchema: { what: z.string() } }, act);
  server.registerTool('dotted.name', {}, async () => text('dotted'));
  await server.connect(new StdioServerTransport());
} else {
  const { McpServer } = await import('@modelcontextprotocol/server');
  const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
  const { z } = await import('zod');
  serveStdio(
    () => {
      const server = new McpServer({ name: 'scripted', version: '2' });
      server.registerTool('act', { description, inputSchema: z.object({ what: z.string() }) }, act);
      return server;
    },
    { legacy: kind === 'modern' ? 'reject' : 'serve' },
  );
}
