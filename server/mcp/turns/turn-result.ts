/** Converts an ended run to the result of a tool call. */
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { EndedRun } from '../../../runtime/run/ending/ended-run.ts';
import { isInterrupted } from '../../../state/threads/runs.ts';
import { toChatResponse } from '../../chat/response.ts';
import type { ChatResponse } from '../../chat/schema.ts';
import { RESUME } from '../tool-names.ts';
import { elicitAnswers } from './elicitation.ts';

export function turnResult(ended: EndedRun, context: ServerContext): CallToolResult | InputRequiredResult {
  const response = toChatResponse(ended);
  if (!isInterrupted(ended.result)) return resultOf(response, response.agent_response);
  return elicitAnswers(response, context) ?? resultOf(response, waitingText(response));
}

/** Repeats the thread's id as text, because some clients don't pass the structured content to their model. */
function resultOf(response: ChatResponse, text: string): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      { type: 'text', text: `thread_id: ${response.thread_id}` },
    ],
    structuredContent: response,
  };
}

/** Tells the model how to continue, after the last output of the agents. */
function waitingText({ outputs, interrupts, stopped_at }: ChatResponse): string {
  const stops = stopped_at.map(({ agent, when }) => `${when} ${agent}`).join(', ');
  const instruction =
    interrupts.length > 0
      ? `The workflow waits for an answer to ${JSON.stringify(interrupts)}. Ask the person, then call the tool ${RESUME} with the thread_id and the answer.`
      : `The workflow stopped ${stops}. Call the tool ${RESUME} with the thread_id to continue.`;
  const lastOutput = outputs.findLast(({ content }) => content !== '')?.content;
  return lastOutput === undefined ? instruction : `${lastOutput}\n\n${instruction}`;
}
