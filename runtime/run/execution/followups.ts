/** Suggests follow-up questions, for workflows with the setting `followup_questions`. */
import type { BaseMessage } from '@langchain/core/messages';
import { Type } from '@sinclair/typebox';
import { conversationMessages } from '../../../graphs/authoring/agent/conversation-messages.ts';
import type { RunContext } from '../../../graphs/authoring/run/run-context.ts';
import type { Prompts } from '../../../prompts/prompts.ts';
import { SkeinError } from '../../../state/errors.ts';
import type { ChatModel } from '../../../tools/models/models.ts';

const Questions = Type.Object(
  { questions: Type.Array(Type.String({ description: 'A question that the person may ask next' })) },
  { additionalProperties: false },
);

const MAX_QUESTIONS = 3;

/** Returns `{"1": "...", "2": "..."}`, or `{}` if the model call fails: a failed suggestion must not fail the turn. */
export function followupQuestions(prompts: Prompts) {
  return async (turn: { model: ChatModel; context: RunContext; messages: BaseMessage[] }) => {
    const { model, context, messages } = turn;
    try {
      const system = await prompts.render(['conversation.followup_questions.jinja'], {});
      const request = {
        task: 'followup_questions',
        // The question and its answer.
        messages: conversationMessages(system, '', messages.slice(-2)),
      };
      const shape = { name: 'followup_questions', schema: Questions };
      const { value } = await model.extract(request, shape, context);
      const questions = value.questions
        .map((question) => question.trim())
        .filter((question) => question !== '');
      return Object.fromEntries(
        questions.slice(0, MAX_QUESTIONS).map((question, index) => [String(index + 1), question]),
      );
    } catch (error) {
      if (error instanceof SkeinError && error.code === 'MODEL_CALL_FAILED') return {};
      throw error;
    }
  };
}
