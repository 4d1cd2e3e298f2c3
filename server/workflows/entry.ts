/** A workflow's entry in the list of workflows and in its status. */
import { type Static, Type } from '@sinclair/typebox';
import { sampleInput } from '../../graphs/adoption/schemas/sample-input.ts';
import type { RegisteredWorkflow } from '../../runtime/workflows/registered.ts';
import type { Services } from '../services.ts';

export const Entry = Type.Object({
  workflow: Type.String({ description: 'The name, with hyphens' }),
  alias: Type.String({ description: 'The name with underscores' }),
  supported_names: Type.Array(Type.String(), { description: 'The names that requests can use, in any case' }),
  description: Type.String({ description: 'What the workflow does, or why it cannot be loaded' }),
  category: Type.String({ description: 'A label that clients can group by' }),
  agents: Type.Array(
    Type.Object({
      name: Type.String({ description: 'The name of the agent' }),
      description: Type.String({ description: 'What it does' }),
    }),
    { description: 'The agents of the workflow' },
  ),
  configured: Type.Boolean({ description: 'True if `missing_config` is empty' }),
  missing_config: Type.Array(Type.String(), {
    description: 'Settings that the workflow needs and that are not set',
  }),
  required_config: Type.Array(Type.String(), { description: 'Always empty' }),
  external_services: Type.Array(Type.String(), {
    description: 'Services that it calls. Empty for a graph that was not created with workflow()',
  }),
  ready: Type.Boolean({ description: 'True if all required settings and files are present' }),
  ready_detail: Type.Union([Type.String(), Type.Null()], { description: 'Why the workflow is not ready' }),
  prompt_revision: Type.String({ description: 'The revision of its prompt files' }),
  prompt_files: Type.Array(Type.String(), { description: 'The names of its prompt files' }),
  source: Type.Union([Type.Literal('core'), Type.Literal('project')], {
    description: 'core: ships with Skein; project: from your project',
  }),
  takes_prompt: Type.Boolean({
    description: 'False if a turn requires `input` (see `input_schema`) or if the workflow cannot be loaded',
  }),
  input_schema: schema('The JSON Schema of `input`'),
  context_schema: schema('The JSON Schema of `context`'),
  example: Type.Union([Type.String(), Type.Null()], {
    description: 'An example of `user_prompt`. Null if the workflow takes none',
  }),
  test_command: Type.Union([Type.String(), Type.Null()], {
    description: 'A curl command that works. Null if the workflow cannot be loaded',
  }),
  documentation: Type.String({ description: 'The path of the API reference' }),
});

function schema(name: string) {
  const description = `${name}. Null if any value is accepted, and for a workflow created with workflow()`;
  return Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description });
}

export async function entryOf(
  workflow: RegisteredWorkflow,
  { models, baseUrl, web }: Services,
): Promise<Static<typeof Entry>> {
  const alias = workflow.name.replaceAll('-', '_');
  const configured = workflow.missing.length === 0;
  const problem = await problemOf(workflow);
  return {
    workflow: workflow.name,
    alias,
    supported_names: [...new Set([workflow.name, alias])],
    description: workflow.description || `Broken: ${workflow.problem}`,
    category: workflow.category,
    agents: workflow.agents,
    configured,
    missing_config: workflow.missing,
    required_config: [],
    external_services: servicesOf(workflow, models),
    ready: problem === null,
    ready_detail: problem,
    prompt_revision: workflow.settings.prompt_revision,
    prompt_files: workflow.promptFiles,
    source: workflow.source,
    takes_prompt: takesPrompt(workflow),
    input_schema: workflow.adopted?.inputSchema ?? null,
    context_schema: workflow.adopted?.contextSchema ?? null,
    example: takesPrompt(workflow) && !isInputExample(workflow) ? workflow.example : null,
    test_command: curlCommand(baseUrl(), workflow),
    documentation: `${web.base_path}/docs`,
  };
}

/** Empty for an adopted graph, which doesn't declare its external services. */
function servicesOf(
  { adopted, externalServices }: RegisteredWorkflow,
  { offline }: Services['models'],
): string[] {
  if (adopted) return [];
  const model = offline ? 'none (built-in offline model)' : 'language model provider';
  return [model, ...externalServices];
}

async function problemOf(workflow: RegisteredWorkflow): Promise<string | null> {
  if (workflow.refusal) return workflow.refusal.message;
  if (!workflow.graph) return workflow.problem ?? 'The workflow cannot be loaded';
  const missing = await workflow.missingOnDisk();
  return missing.length === 0 ? null : missing.join(' ');
}

function takesPrompt({ problem, adopted }: RegisteredWorkflow): boolean {
  return problem === undefined && (adopted === undefined || adopted.textInput !== undefined);
}

/** An adopted graph's example that is a JSON object is an example of `input`. */
function isInputExample({ adopted, example }: RegisteredWorkflow): boolean {
  return adopted !== undefined && example.trimStart().startsWith('{');
}

function curlCommand(baseUrl: string, workflow: RegisteredWorkflow): string | null {
  const { name, example, problem, adopted } = workflow;
  if (problem !== undefined) return null;
  const isInput = adopted !== undefined && (!takesPrompt(workflow) || isInputExample(workflow));
  const turn = isInput ? { input: sampleInput(adopted.inputSchema, example) } : { user_prompt: example };
  const body = JSON.stringify({ ...turn, conversation_flow: name });
  const quoted = body.replaceAll("'", "'\\''");
  return `curl -X POST ${baseUrl}/api/v1/chat -H 'Content-Type: application/json' -d '${quoted}'`;
}
