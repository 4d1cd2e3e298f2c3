/** The names of the tools: those of the service, and one for each workflow. */
import type { Registry } from '../../runtime/workflows/registry.ts';

export const RESUME = 'resume';
export const SEARCH_DOCUMENTS = 'search_documents';
export const QUERY_DATABASE = 'query_database';

/** Of the service, and no turns. */
const READERS: readonly string[] = [SEARCH_DOCUMENTS, QUERY_DATABASE];
const OWN: readonly string[] = [RESUME, ...READERS];

/** With underscores; a workflow that is named like a tool of the service has its kind behind its name. */
export function toolNameOf(workflow: string): string {
  const name = workflow.replaceAll('-', '_');
  return OWN.includes(name) ? `${name}_workflow` : name;
}

/** Undefined where no workflow that can run has the name. */
export function workflowOf({ workflows }: Pick<Registry, 'workflows'>, tool: string) {
  const wanted = tool.toLowerCase().replaceAll('-', '_');
  return workflows.find(({ name, graph }) => graph && toolNameOf(name.toLowerCase()) === wanted);
}

interface Message {
  method?: unknown;
  params?: { name?: unknown };
}

/** The names of the tools that ask for a turn, which a JSON-RPC message, or a batch of them, calls. */
export function turnsIn(body: unknown): string[] {
  const messages: (Message | null)[] = Array.isArray(body) ? body : [body as Message | null];
  return messages.flatMap((message) => {
    const name = message?.method === 'tools/call' ? message.params?.name : undefined;
    return typeof name === 'string' && !READERS.includes(name) ? [name] : [];
  });
}
