/** A call that runs a turn: it starts, its progress is told, and its end is the result. */
import type { CallToolResult, InputRequiredResult, ServerContext } from '@modelcontextprotocol/server';
import type { Turn, TurnRequest } from '../../../runtime/intake/turn.ts';
import { whenCallerGone } from '../../http/caller-gone.ts';
import type { McpCall } from '../call.ts';
import { answersIn, noAnswer } from './asked-person.ts';
import { reportProgress, wantsProgress } from './progress.ts';
import { turnResult } from './turn-result.ts';

/** What every turn is asked with. */
export type Asked = Pick<TurnRequest, 'owner' | 'requestId' | 'traceparent' | 'whole'>;

/**
 * `start` begins the turn, unless the call brings a person's answers to what it has led to before: then they go on with that
 * thread. Cancels the turn if its client goes away or cancels the request.
 */
export async function runTurn(
  call: McpCall,
  context: ServerContext,
  start: (asked: Asked) => Promise<Turn>,
): Promise<CallToolResult | InputRequiredResult> {
  const { services, request, owner, requestId, traceparent } = call;
  const asked = { owner, requestId, traceparent, whole: !wantsProgress(context) };
  const answers = answersIn(context);
  if (answers && Object.keys(answers.values).length === 0) return noAnswer(answers.threadId);
  const turn = await (answers ? services.runtime.resume({ ...asked, ...answers }) : start(asked));
  const leave = whenCallerGone(AbortSignal.any([request.signal, context.mcpReq.signal]), turn.cancel);
  // A client that cannot be told of the progress still gets the result, or is gone.
  const reported = reportProgress(call, turn, context).catch((err) =>
    services.log.debug({ err }, 'MCP progress was not sent'),
  );
  const ended = await turn.ended.finally(leave);
  await reported;
  return turnResult(ended, context);
}
