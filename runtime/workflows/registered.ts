/** A workflow as the registry has it, whether it can run or not. */

import type { TakesPrompt } from '../../graphs/adoption/graph-input.ts';
import type { JsonSchema } from '../../graphs/adoption/schemas/graph-schemas.ts';
import type { GraphSource } from '../../graphs/adoption/schemas/graph-types.ts';
import type { AgentDescription, CompiledGraph, Reading } from '../../graphs/authoring/workflow.ts';
import { WorkflowSettings } from '../../graphs/authoring/workflow-settings.ts';
import type { Discovered } from '../../graphs/discovery/discover.ts';
import type { AdoptedGraph } from '../../graphs/discovery/exported.ts';
import type { SkeinError } from '../../state/errors.ts';
import { checkOptions } from '../../state/schema/check-options.ts';
import type { StoreIndex } from '../store-options.ts';

export interface RegisteredWorkflow {
  name: string;
  source: Discovered['source'];
  /** What the list groups by. */
  category: string;
  description: string;
  agents: AgentDescription[];
  externalServices: string[];
  maxPromptLength: number;
  /** What it makes of a prompt; throws INVALID_WORKFLOW_INPUT. */
  read(prompt: string): Reading;
  changesOutside: boolean;
  example: string;
  settings: WorkflowSettings;
  promptFiles: string[];
  /** Undefined where the workflow is broken; `problem` says why. */
  graph: CompiledGraph | undefined;
  /** Of a graph that is not made with `workflow()`; `graph` is what it is described by. */
  adopted?: Adopted;
  /** What people are told of it at the start. */
  notes: string[];
  problem: string | undefined;
  /** Settings that are missing or wrong for it, as dotted paths; `refusal` is what a turn is refused with. */
  missing: string[];
  refusal: SkeinError | undefined;
  /** What it needs on disk that is missing now, one sentence each. */
  missingOnDisk(): Promise<string[]>;
}

export interface Adopted {
  isMade: AdoptedGraph['isMade'];
  graphFor: AdoptedGraph['graphFor'];
  /** Where it is written. */
  source: GraphSource;
  takes: TakesPrompt;
  inputSchema: JsonSchema | undefined;
  contextSchema: JsonSchema | undefined;
  /** Of the store that it was compiled with, which is not used itself. */
  storeIndex: StoreIndex | undefined;
}

export type RunnableWorkflow = RegisteredWorkflow & { graph: CompiledGraph };

/** In characters. */
export const DEFAULT_PROMPT_LENGTH = 100_000;

/** One that cannot be loaded. */
export function broken({ name, source }: Discovered, problem: string | undefined): RegisteredWorkflow {
  return {
    name,
    source,
    category: source,
    description: '',
    agents: [],
    externalServices: [],
    maxPromptLength: DEFAULT_PROMPT_LENGTH,
    read: () => ({}),
    changesOutside: false,
    example: '',
    settings: checkOptions(WorkflowSettings, {}, `workflows.${name}`),
    promptFiles: [],
    missingOnDisk: async () => [],
    graph: undefined,
    notes: [],
    problem: problem ?? 'unknown',
    missing: [],
    refusal: undefined,
  };
}
