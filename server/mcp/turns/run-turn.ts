/** Runs a turn for a tool call: starts it, reports its progress, and returns its result. */
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Turn, TurnRequest } from '../../../runtime/intake/turn.ts';
import { onDisconnect } from '../../http/streams/disconnect.ts';
import type { McpCall } from '../call.ts';
import { elicitedAnswers, noAnswerResult } from './elicitation.ts';
import { reportProgress, wantsProgress } from './progress.ts';
import { turnResult } from './turn-result.ts';

/** The options that all turns have. */
type TurnOptions = Pick<TurnRequest, 'owner' | 'requestId' | 'traceparent' | 'whole'>;

/**
 * Starts a turn with `start`, or resumes a thread if the call has answers to the forms of an earlier call. Cancels the turn if
 * the client disconnects or cancels the request.
 */
export async function runTurn(
  call: McpCall,
  context: ServerContext,
  start: (options: TurnOptions) => Promise<Turn>,
): Promise<CallToolResult | InputRequiredResult> {
  const { services, request, owner, requestId, traceparent } = call;
  const options = { owner, requestId, traceparent, whole: !wantsProgress(context) };
  const answers = elicitedAnswers(context);
  if (answers && Object.keys(answers.values).length === 0) return noAnswerResult(answers.threadId);
  const turn = await (answers ? services.runtime.resume({ ...options, ...answers }) : start(options));
  const stopListening = onDisconnect(AbortSignal.any([request.signal, context.mcpReq.signal]), turn.cancel);
  // Don't fail the call if progress can't be sent: the client still gets the result, unless it has disconnected.
  const reported = reportProgress(call, turn, context).catch((err) =>
    services.log.debug({ err }, 'MCP progress could not be sent'),
  );
  const ended = await turn.ended.finally(stopListening);
  await reported;
  return turnResult(ended, context);
}
