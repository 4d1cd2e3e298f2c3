/** Workflows and their graphs. */
import { api, ask, askText } from '../service/service.ts';

export const readWorkflows = () => ask(api.workflows.get());

export type Workflow = Awaited<ReturnType<typeof readWorkflows>>['workflows'][number] & {
  /** False for a graph whose input needs more than a text. */
  takes_prompt?: boolean;
  /** The JSON schema of `input`; null if it is unknown or the workflow has no input. */
  input_schema?: unknown;
  /** The JSON schema of `context`; null in the same cases. */
  context_schema?: unknown;
};

export const readWorkflowStatus = (workflow: string) =>
  ask(api['workflow-status']({ workflow_name: encodeURIComponent(workflow) }).get());

export type WorkflowStatus = Awaited<ReturnType<typeof readWorkflowStatus>>;

export interface GraphNode {
  /** For the steps of an expanded agent, `agent:step`. */
  id: string;
  label: string;
  kind: 'start' | 'end' | 'agent' | 'node';
  agent?: string;
}

export interface GraphEdge {
  source: string;
  target: string;
  conditional: boolean;
  label?: string;
}

export interface WorkflowGraph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

/** The compiled graph; with `xray`, including the steps of agents. */
export async function readGraph(workflow: string, xray: boolean): Promise<WorkflowGraph> {
  return JSON.parse(await askText(graphPath(workflow, 'json', xray))) as WorkflowGraph;
}

export const readMermaid = (workflow: string, xray: boolean) => askText(graphPath(workflow, 'mermaid', xray));

function graphPath(workflow: string, format: string, xray: boolean): string {
  return `/api/v1/workflows/${encodeURIComponent(workflow)}/graph?format=${format}&xray=${xray}`;
}
