/** A workflow as a tool: a call is a turn, on a thread that the caller names or on a new one. */
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { type Static, Type } from '@sinclair/typebox';
import type { RegisteredWorkflow } from '../../../runtime/workflows/registered.ts';
import { ChatResponse } from '../../chat/schema.ts';
import { ThreadId } from '../../http/thread-id.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { toolNameOf } from '../tool-names.ts';
import { runTurn } from './run-turn.ts';

const THREAD = Type.Optional(
  Type.String({
    ...ThreadId,
    description: `${ThreadId.description}: goes on with this conversation; without it a new one begins`,
  }),
);

const PromptArguments = Type.Object({
  user_prompt: Type.String({ pattern: '\\S', description: 'text, the message to the workflow' }),
  thread_id: THREAD,
});

const InputArguments = Type.Object({ thread_id: THREAD }, { additionalProperties: true });

/** What every tool that runs a turn gives. */
export const TURN_OUTPUT = listedSchema(ChatResponse);

export function workflowTool(workflow: RegisteredWorkflow): Tool {
  const { name, description } = workflow;
  const inputSchema = inputSchemaOf(workflow);
  return { name: toolNameOf(name), title: name, description, inputSchema, outputSchema: TURN_OUTPUT };
}

/** A graph that takes no prompt has the fields of its own input. */
function inputSchemaOf({ adopted }: RegisteredWorkflow): Tool['inputSchema'] {
  if (!adopted || adopted.takes) return listedSchema(PromptArguments);
  const { properties, ...schema } = adopted.inputSchema ?? {};
  return {
    ...schema,
    type: 'object',
    properties: { thread_id: THREAD, ...properties },
  };
}

export interface WorkflowCall {
  given: Record<string, unknown>;
  context: ServerContext;
}

export function callWorkflow(
  call: McpCall,
  workflow: RegisteredWorkflow,
  { given, context }: WorkflowCall,
): Promise<CallToolResult | InputRequiredResult> {
  return runTurn(call, context, (asked) =>
    call.services.runtime.turn({
      ...asked,
      ...argumentsOf(workflow, given),
      workflow: workflow.name,
      strategy: 'enqueue',
    }),
  );
}

function argumentsOf({ adopted }: RegisteredWorkflow, given: Record<string, unknown>) {
  if (!adopted || adopted.takes) {
    const { user_prompt, thread_id }: Static<typeof PromptArguments> = checkedArguments(
      PromptArguments,
      given,
    );
    return { prompt: user_prompt, threadId: thread_id };
  }
  const { thread_id: threadId, ...fields } = checkedArguments(InputArguments, given);
  const isOwn = Object.hasOwn(adopted.inputSchema?.properties ?? {}, 'thread_id');
  return { prompt: undefined, input: isOwn ? given : fields, threadId };
}
