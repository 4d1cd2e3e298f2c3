/** The tools: one for each workflow, one that answers interrupts, and those over the documents and the database. */
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
import type { McpCall } from './call.ts';
import { QUERY_TOOL, queryDatabase } from './data/query-database.ts';
import { SEARCH_TOOL, searchDocuments } from './data/search-documents.ts';
import { sentenceOf } from './errors.ts';
import { QUERY_DATABASE, RESUME, SEARCH_DOCUMENTS, workflowOf } from './tool-names.ts';
import { RESUME_TOOL, resumeThread } from './turns/resume.ts';
import { callWorkflow, workflowTool } from './turns/workflow.ts';

type ToolResult = CallToolResult | InputRequiredResult;

export function listTools({ services: { registry } }: McpCall): ListToolsResult {
  const runnable = registry.workflows.filter(({ graph }) => graph);
  return { tools: [...runnable.map(workflowTool), RESUME_TOOL, SEARCH_TOOL, QUERY_TOOL] };
}

/** What fails is a result that says why, so that a model can do better. Throws for a tool that there is not. */
export async function callTool(
  call: McpCall,
  { name, arguments: given = {} }: CallToolRequestParams,
  context: ServerContext,
): Promise<ToolResult> {
  const work = toolOf(call, name, context);
  try {
    return await work(given);
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    const body = errorBody(error, call.requestId);
    const text = `${body.error_code}: ${sentenceOf(body)}`;
    return { isError: true, content: [{ type: 'text', text }], _meta: { 'skein/error': body } };
  }
}

type Work = (given: Record<string, unknown>) => Promise<ToolResult>;

function toolOf(call: McpCall, name: string, context: ServerContext): Work {
  if (name === RESUME) return (given) => resumeThread(call, given, context);
  if (name === SEARCH_DOCUMENTS) return (given) => searchDocuments(call, given);
  if (name === QUERY_DATABASE) return (given) => queryDatabase(call, given);
  const workflow = workflowOf(call.services.registry, name);
  if (!workflow) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Tool not found');
  return (given) => callWorkflow(call, workflow, { given, context });
}
