/** A turn's end as the result of a tool's call. */
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { EndedRun } from '../../../runtime/run/ended-run.ts';
import { waits } from '../../../state/runs.ts';
import { toChatResponse } from '../../chat/response.ts';
import type { ChatResponse } from '../../chat/schema.ts';
import { RESUME } from '../tool-names.ts';
import { askedPerson } from './asked-person.ts';

export function turnResult(ended: EndedRun, context: ServerContext): CallToolResult | InputRequiredResult {
  const response = toChatResponse(ended);
  if (!waits(ended.result)) return resultOf(response, response.agent_response);
  return askedPerson(response, context) ?? resultOf(response, waitingText(response));
}

/** The thread's id is a block of its own: not every client shows its model the structured content. */
function resultOf(response: ChatResponse, text: string): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: `thread_id: ${response.thread_id}` },
    ],
    structuredContent: response,
  };
}

function waitingText({ outputs, interrupts, stopped_at }: ChatResponse): string {
  const stops = stopped_at.map(({ agent, when }) => `${when} ${agent}`).join(', ');
  const what =
    interrupts.length > 0
      ? `The workflow waits for an answer to ${JSON.stringify(interrupts)}. Ask the person, then call the tool ${RESUME} with the thread_id and the answer.`
      : `The workflow stopped ${stops}. Call the tool ${RESUME} with the thread_id to go on.`;
  const said = outputs.findLast(({ content }) => content !== '')?.content;
  return said === undefined ? what : `${said}\n\n${what}`;
}
