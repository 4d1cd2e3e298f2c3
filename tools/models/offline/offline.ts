/**
 * The built-in model that needs no network: a `fetch` that answers requests of OpenAI's chat API by rules. It is frozen, and
 * gets no new rules.
 */

import { answer } from './answer/answer.ts';
import { chat } from './chat.ts';
import { classify } from './classification/classify.ts';
import { sentiments } from './classification/sentiments.ts';
import { followupQuestions } from './followups.ts';
import { condense } from './knowledge/condense.ts';
import { knowledgeAnswer } from './knowledge/knowledge-answer.ts';
import { OFFLINE_MODEL } from './name.ts';
import { type ChatRequest, chatRequest } from './request.ts';
import { sqlAnswer } from './sql/describe-result.ts';
import { sql } from './sql/write-sql.ts';
import { suggested } from './suggested.ts';
import { summarise } from './summary/summarise.ts';
import { aborted, type CalledTool, completionResponse, errorResponse } from './wire.ts';

/** The header with the task of a request. It is only sent to this model. */
const TASK_HEADER = 'x-skein-task';

/**
 * The tasks of the model. A task returns the content of the answer, tools to call, or undefined for an unknown schema. For
 * other tasks, the model fills the schema with the suggestions in the prompt.
 */
type Task = (request: ChatRequest) => string | CalledTool[] | undefined;

const TASKS = new Map<string, Task>([
  ['answer', answer],
  ['chat', chat],
  ['classification', classify],
  ['condense', condense],
  ['followup_questions', followupQuestions],
  ['knowledge_answer', knowledgeAnswer],
  ['sentiments', sentiments],
  ['sql', sql],
  ['sql_answer', sqlAnswer],
  ['summary', summarise],
]);

/**
 * A `fetch` that answers POST .../chat/completions of OpenAI's API by rules, without network. Other requests get an error
 * response with the code `offline_model`: 404 for other endpoints, 400 for other tasks.
 */
export function offlineFetch(): (input: string | URL | Request, init?: RequestInit) => Promise<Response> {
  return async (input, init) => {
    const request = input instanceof Request ? new Request(input, init) : new Request(String(input), init);
    if (request.signal.aborted) throw aborted();
    const { pathname } = new URL(request.url);
    if (request.method !== 'POST' || !pathname.endsWith('/chat/completions')) {
      return errorResponse(404, cannotDo(`${request.method} ${pathname}`));
    }
    const asked = chatRequest(await request.json().catch(() => undefined));
    if (!asked) return errorResponse(400, 'The request body is not a chat completion request.');

    const task = request.headers.get(TASK_HEADER) ?? '';
    const content = (TASKS.get(task) ?? suggested)(asked);
    if (content === undefined) return errorResponse(400, cannotDo(task));
    return completionResponse(asked, { model: OFFLINE_MODEL, content, signal: request.signal });
  };
}

function cannotDo(task: string): string {
  return `The offline model cannot do '${task}'. Configure a language model: set LLM_PROVIDER_API_KEY or LLM_PROVIDER_BASE_URL.`;
}
