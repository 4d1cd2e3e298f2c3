/** Workflows as tools. A call is a turn on an existing thread or on a new one. */
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { type Static, Type } from '@sinclair/typebox';
import type { RegisteredWorkflow } from '../../../runtime/workflows/registered.ts';
import { ChatResponse } from '../../chat/schema.ts';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { toolNameOf } from '../tool-names.ts';
import { runTurn } from './run-turn.ts';

const THREAD = Type.Optional(
  Type.String({
    ...ThreadId,
    description: `${ThreadId.description}: continues this conversation. Omit it to start a new one`,
  }),
);

const PromptArguments = Type.Object({
  user_prompt: Type.String({ pattern: '\\S', description: 'text, the message to the workflow' }),
  thread_id: THREAD,
});

const InputArguments = Type.Object({ thread_id: THREAD }, { additionalProperties: true });

/** The output schema of all tools that run a turn. */
export const TURN_OUTPUT = listedSchema(ChatResponse);

export function workflowTool(workflow: RegisteredWorkflow): Tool {
  const { name, description } = workflow;
  const inputSchema = inputSchemaOf(workflow);
  return { name: toolNameOf(name), title: name, description, inputSchema, outputSchema: TURN_OUTPUT };
}

/** The prompt and the thread; for a graph without a prompt, the fields of its input. */
function inputSchemaOf({ adopted }: RegisteredWorkflow): Tool['inputSchema'] {
  if (!adopted || adopted.textInput) return listedSchema(PromptArguments);
  const { properties, ...schema } = adopted.inputSchema ?? {};
  return {
    ...schema,
    type: 'object',
    properties: { thread_id: THREAD, ...properties },
  };
}

export interface WorkflowCall {
  args: Record<string, unknown>;
  context: ServerContext;
}

export function callWorkflow(
  call: McpCall,
  workflow: RegisteredWorkflow,
  { args, context }: WorkflowCall,
): Promise<CallToolResult | InputRequiredResult> {
  return runTurn(call, context, (options) =>
    call.services.runtime.turn({
      ...options,
      ...turnInput(workflow, args),
      workflow: workflow.name,
      strategy: 'enqueue',
    }),
  );
}

/** Throws INVALID_REQUEST. If the graph's own input has a field `thread_id`, it is both the thread and this field. */
function turnInput({ adopted }: RegisteredWorkflow, args: Record<string, unknown>) {
  if (!adopted || adopted.textInput) {
    const { user_prompt, thread_id }: Static<typeof PromptArguments> = checkedArguments(
      PromptArguments,
      args,
    );
    return { prompt: user_prompt, threadId: thread_id };
  }
  const { thread_id: threadId, ...fields } = checkedArguments(InputArguments, args);
  const isInputField = Object.hasOwn(adopted.inputSchema?.properties ?? {}, 'thread_id');
  return { prompt: undefined, input: isInputField ? args : fields, threadId };
}
