/** The MCP tools: one for each workflow, and tools to resume threads, search documents and query the database. */
import {
  type CallToolRequestParams,
  type CallToolResult,
  type InputRequiredResult,
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { errorBody, SkeinError } from '../../state/errors.ts';
import { errorText } from '../http/errors/json-rpc.ts';
import type { McpCall } from './call.ts';
import { QUERY_TOOL, queryDatabase } from './data/query-database.ts';
import { SEARCH_TOOL, searchDocuments } from './data/search-documents.ts';
import { findWorkflow, QUERY_DATABASE, RESUME, SEARCH_DOCUMENTS } from './tool-names.ts';
import { RESUME_TOOL, resumeThread } from './turns/resume.ts';
import { callWorkflow, workflowTool } from './turns/workflow.ts';

type ToolResult = CallToolResult | InputRequiredResult;

export function listTools({ services: { registry } }: McpCall): ListToolsResult {
  const runnable = registry.workflows.filter(({ graph }) => graph);
  return { tools: [...runnable.map(workflowTool), RESUME_TOOL, SEARCH_TOOL, QUERY_TOOL] };
}

/**
 * Calls a tool. A SkeinError becomes an error result, so that the model can react to it. Throws a ProtocolError if the tool
 * doesn't exist.
 */
export async function callTool(
  call: McpCall,
  { name, arguments: args = {} }: CallToolRequestParams,
  context: ServerContext,
): Promise<ToolResult> {
  const execute = findTool(call, name, context);
  try {
    return await execute(args);
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    const body = errorBody(error, call.requestId);
    const text = `${body.error_code}: ${errorText(body)}`;
    return { isError: true, content: [{ type: 'text', text }], _meta: { 'skein/error': body } };
  }
}

type ExecuteTool = (args: Record<string, unknown>) => Promise<ToolResult>;

function findTool(call: McpCall, name: string, context: ServerContext): ExecuteTool {
  if (name === RESUME) return (args) => resumeThread(call, args, context);
  if (name === SEARCH_DOCUMENTS) return (args) => searchDocuments(call, args);
  if (name === QUERY_DATABASE) return (args) => queryDatabase(call, args);
  const workflow = findWorkflow(call.services.registry, name);
  if (!workflow) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Tool not found');
  return (args) => callWorkflow(call, workflow, { args, context });
}
