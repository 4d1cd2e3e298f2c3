/** The JSON schema of a graph's state. */
import { askText } from '../../service/service.ts';

/** `within`: the nodes around the subgraph, separated by slashes; null for the root graph. Returns null if there is no schema. */
export async function readStateSchema(workflow: string, within: string | null): Promise<unknown> {
  const graph = `/assistants/${encodeURIComponent(workflow)}`;
  if (within === null) return (await read(`${graph}/schemas`)).state_schema ?? null;
  const namespace = encodeURIComponent(within.replaceAll('/', '|'));
  const [found] = Object.values(await read(`${graph}/subgraphs/${namespace}?recurse=true`));
  return (found as { state_schema?: unknown } | undefined)?.state_schema ?? null;
}

async function read(path: string): Promise<Record<string, unknown>> {
  return JSON.parse(await askText(path));
}
