/** The tools of a configured MCP server as LangChain tools, for any graph. */
import { ToolMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { type StructuredToolInterface, type ToolRunnableConfig, tool } from '@langchain/core/tools';
import type { JsonSchema7Type } from '@langchain/core/utils/json_schema';
import { SkeinError } from '../../state/errors.ts';
import type { McpTool } from '../../tools/mcp/connection.ts';
import { contentText, structuredContent } from '../../tools/mcp/content-text.ts';
import { configWithRun } from '../authoring/chat-model/within-run.ts';
import { isMakingGraph } from '../authoring/making-graph.ts';
import { runIn } from '../authoring/run/run-context.ts';
import { calledIn } from './called-in.ts';

/**
 * Lists the server's tools, and starts it if it isn't running. Call it in a graph factory or in a node. It throws elsewhere,
 * because a server's tools are only known while the server is running. If the graph is only described, one placeholder tool
 * represents them, and no server is started. `server` is its name in `mcp_servers`.
 */
export async function mcpTools(server: string, config?: RunnableConfig): Promise<StructuredToolInterface[]> {
  const around = configWithRun(config);
  const run = around && runIn(around);
  if (run) return (await run.sources.mcp.tools(server, run.signal)).map((one) => langchainTool(server, one));
  if (!isMakingGraph())
    throw new Error(
      "mcpTools() works only in a run: make the graph in a function, as in export default async () => createAgent({ model: chatModel(), tools: await mcpTools('name') })",
    );
  return [langchainTool(server, { name: nameOf(server), inputSchema: { type: 'object' } })];
}

/**
 * The message contains the result as text, and its structured content in the artifact. A failure of the tool or its server
 * is a message with the status `error`.
 */
function langchainTool(
  server: string,
  { name, description = name, inputSchema }: McpTool,
): StructuredToolInterface {
  const call = async (given: Record<string, unknown>, config: ToolRunnableConfig) => {
    const { sources, signal, toolCallId } = calledIn(config, 'A tool of mcpTools()');
    const failed = (content: string) => {
      if (toolCallId === undefined) return [content, null];
      return [
        new ToolMessage({ content, name: nameOf(name), status: 'error', tool_call_id: toolCallId }),
        null,
      ];
    };
    try {
      const result = await sources.mcp.call(server, { tool: name, given, signal });
      const text = contentText(result);
      return result.isError ? failed(text) : [text, structuredContent(result)];
    } catch (error) {
      if (!(error instanceof SkeinError) || signal.aborted) throw error;
      return failed([error.message, error.detail ?? []].flat().join(': '));
    }
  };
  return tool(call, {
    ...{ name: nameOf(name), description, schema: inputSchema as JsonSchema7Type },
    responseFormat: 'content_and_artifact',
    verboseParsingErrors: true,
  });
}

/** A name that model providers accept for functions. */
function nameOf(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
}
