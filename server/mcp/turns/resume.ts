/** The tool `resume`: a person's answer to what a thread waits for. */
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { Type } from '@sinclair/typebox';
import { ThreadId } from '../../http/thread-id.ts';
import { checkedArguments, listedSchema } from '../arguments.ts';
import type { McpCall } from '../call.ts';
import { RESUME } from '../tool-names.ts';
import { runTurn } from './run-turn.ts';
import { TURN_OUTPUT } from './workflow.ts';

const Arguments = Type.Object({
  thread_id: ThreadId,
  value: Type.Optional(Type.Unknown({ description: 'The answer to the only interrupt: any JSON value' })),
  values: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), {
      description: 'Answers by interrupt_id; interrupts that are left out still wait',
    }),
  ),
});

export const RESUME_TOOL: Tool = {
  name: RESUME,
  title: 'Answer an interrupt',
  description:
    'Answers what a thread waits for, after a workflow whose event_type is "interrupt": the person\'s answer in value, or several by interrupt_id in values. A thread that only stopped goes on without either.',
  inputSchema: listedSchema(Arguments),
  outputSchema: TURN_OUTPUT,
};

export function resumeThread(
  call: McpCall,
  given: Record<string, unknown>,
  context: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  return runTurn(call, context, async (asked) => {
    const { thread_id: threadId, value, values } = checkedArguments(Arguments, given);
    return call.services.runtime.resume({ ...asked, threadId, value, values });
  });
}
