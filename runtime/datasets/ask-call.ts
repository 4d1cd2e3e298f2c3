/** Sends the model call of a case with the current text of its prompt files, and returns the answer for scoring. */
import type { PromptEditor } from '../../prompts/editor.ts';
import { hashOf, type PromptStore } from '../../prompts/store.ts';
import { SkeinError } from '../../state/errors.ts';
import { toCompletionRequest } from '../replays/call-request.ts';
import type { ReplayedCall, SentCallRequest } from '../replays/replay.ts';
import type { Runtime } from '../runtime.ts';
import type { CaseCall } from './case-call.ts';
import type { PromptVersion } from './results.ts';
import type { Answer } from './score.ts';

interface CallToAsk extends Omit<SentCallRequest, 'model' | 'request'> {
  call: CaseCall;
}

interface CallAnswer extends Answer {
  tool_calls: { name: string; arguments: unknown }[];
  token_count: number;
  model: string;
  prompts: PromptVersion[];
}

/** Throws the error of the call, PROMPT_NOT_FOUND and PROMPT_INVALID for its prompt files, and the errors of `Replays.send`. */
export type AskCall = (call: CallToAsk) => Promise<CallAnswer>;

export interface AskCallParts {
  runtime: Pick<Runtime, 'sendCall'>;
  promptFiles: Pick<PromptStore, 'read'>;
  promptEditor: Pick<PromptEditor, 'preview'>;
}

export function createAskCall({ runtime, promptFiles, promptEditor }: AskCallParts): AskCall {
  return async ({ call, ...options }) => {
    const { prompts: files = [], model, ...sent } = call;
    const messages = sent.messages.map((message) => ({ ...message }));
    const used: PromptVersion[] = [];
    // From the last position to the first, so that earlier positions stay valid.
    for (const { filename, revision_id, message, start, end, variables } of files.toSorted(later)) {
      const name = { file: filename, revision: revision_id };
      const { bytes, version } = await promptFiles.read(name);
      const text = await promptEditor.preview(name, variables, new TextDecoder().decode(bytes));
      const target = messages[message];
      if (!target || end < start || end > target.content.length) throw outside(filename, message);
      target.content = target.content.slice(0, start) + text + target.content.slice(end);
      used.unshift({ filename, revision_id, version, sha256: hashOf(bytes) });
    }
    const request = toCompletionRequest({ ...sent, messages });
    const ended = await runtime.sendCall({ ...options, model, request });
    return { ...answerOf(ended), prompts: used };
  };
}

function later(a: { start: number }, b: { start: number }): number {
  return b.start - a.start;
}

function outside(file: string, message: number): SkeinError {
  const detail = `call.prompts: the range of ${file} is outside of messages[${message}]`;
  return new SkeinError('INVALID_REQUEST', { detail });
}

function answerOf({ call, toolCalls }: ReplayedCall): Omit<CallAnswer, 'prompts'> {
  if (call.errorCode !== undefined) throw new SkeinError(call.errorCode, { detail: call.errorDetail });
  const content = call.response ?? '';
  return {
    agent_response: content,
    outputs: [{ agent: 'model', content, data: jsonIn(content) }],
    tool_calls: toolCalls.map(({ name, arguments: given }) => ({ name, arguments: jsonIn(given) ?? given })),
    token_count: call.usage.inputTokens + call.usage.outputTokens,
    model: call.model,
  };
}

/** Null for text that is not JSON. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
