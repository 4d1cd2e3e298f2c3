/** The tool `resume`, which answers the pending interrupts of a thread. */
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { Type } from '@sinclair/typebox';
import { ThreadId } from '../../http/schemas/thread-id.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { RESUME } from '../tool-names.ts';
import { runTurn } from './run-turn.ts';
import { TURN_OUTPUT } from './workflow.ts';

const Arguments = Type.Object({
  thread_id: ThreadId,
  value: Type.Optional(
    Type.Unknown({ description: 'The answer to the only pending interrupt, any JSON value' }),
  ),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Answers by interrupt_id. Interrupts without an answer stay pending',
    }),
  ),
});

export const RESUME_TOOL: Tool = {
  name: RESUME,
  title: 'Answer an interrupt',
  description:
    'Answers the pending interrupts of a thread, after a workflow with the event_type "interrupt". Pass the answer of the person as value, or several answers by interrupt_id as values. If the thread stopped without an interrupt, omit both to continue.',
  inputSchema: listedSchema(Arguments),
  outputSchema: TURN_OUTPUT,
};

export function resumeThread(
  call: McpCall,
  args: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  return runTurn(call, context, async (options) => {
    const { thread_id: threadId, value, values } = checkedArguments(Arguments, args);
    return call.services.runtime.resume({ ...options, threadId, value, values });
  });
}
