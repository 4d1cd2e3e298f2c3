/** The names of the MCP tools: the service's own tools, and a tool for each workflow. */
import type { Registry } from '../../runtime/workflows/registry.ts';

export const RESUME = 'resume';
export const SEARCH_DOCUMENTS = 'search_documents';
export const QUERY_DATABASE = 'query_database';

/** The service's own tools that don't start a turn. */
const READ_TOOLS: readonly string[] = [SEARCH_DOCUMENTS, QUERY_DATABASE];
const SERVICE_TOOLS: readonly string[] = [RESUME, ...READ_TOOLS];

/** The name with underscores. If the service has a tool of this name, with the suffix `_workflow`. */
export function toolNameOf(workflow: string): string {
  const name = workflow.replaceAll('-', '_');
  return SERVICE_TOOLS.includes(name) ? `${name}_workflow` : name;
}

/** The runnable workflow of a tool, ignoring case and hyphens; otherwise undefined. */
export function findWorkflow({ workflows }: Pick<Registry, 'workflows'>, tool: string) {
  const normalized = tool.toLowerCase().replaceAll('-', '_');
  return workflows.find(({ name, graph }) => graph && toolNameOf(name.toLowerCase()) === normalized);
}

interface Message {
  method?: unknown;
  params?: { name?: unknown };
}

/** The names of the called tools that start a turn. `body`: a JSON-RPC message or a batch of messages. */
export function turnToolsIn(body: unknown): string[] {
  const messages: (Message | null)[] = Array.isArray(body) ? body : [body as Message | null];
  return messages.flatMap((message) => {
    const name = message?.method === 'tools/call' ? message.params?.name : undefined;
    return typeof name === 'string' && !READ_TOOLS.includes(name) ? [name] : [];
  });
}
