/** A workflow in the registry, whether or not it can run. */

import type { TextInput } from '../../graphs/adoption/graph-input.ts';
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
  /** The group in lists of workflows. */
  category: string;
  description: string;
  agents: AgentDescription[];
  externalServices: string[];
  maxPromptLength: number;
  /** Parses a prompt. Throws INVALID_WORKFLOW_INPUT. */
  read(prompt: string): Reading;
  changesOutside: boolean;
  example: string;
  settings: WorkflowSettings;
  promptFiles: string[];
  /** Undefined if the workflow can't be loaded; `problem` says why. */
  graph: CompiledGraph | undefined;
  /** Set for a graph that is not built with `workflow()`. If a factory makes it, `graph` is only used to describe it. */
  adopted?: Adopted;
  /** Notes that are printed at the start. */
  notes: string[];
  problem: string | undefined;
  /** The dotted paths of its missing or invalid settings; `refusal` is the error of its turns. */
  missing: string[];
  refusal: SkeinError | undefined;
  /** A sentence for each file that it needs and that is missing on disk now. */
  missingOnDisk(): Promise<string[]>;
}

export interface Adopted {
  isMade: AdoptedGraph['isMade'];
  graphFor: AdoptedGraph['graphFor'];
  /** The source file and export of the graph. */
  source: GraphSource;
  textInput: TextInput;
  inputSchema: JsonSchema | undefined;
  contextSchema: JsonSchema | undefined;
  /** The index of the store that it was compiled with. The store itself is not used. */
  storeIndex: StoreIndex | undefined;
}

export type RunnableWorkflow = RegisteredWorkflow & { graph: CompiledGraph };

/** In characters. */
export const DEFAULT_PROMPT_LENGTH = 100_000;

/** A workflow that can't be loaded. */
export function broken({ name, source }: Discovered, problem: string): RegisteredWorkflow {
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
    problem,
    missing: [],
    refusal: undefined,
  };
}
