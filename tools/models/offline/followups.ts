/** The task `followup_questions`: possible next questions about the topic of the last user message. */

import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { topic } from './language/topic.ts';
import { type ChatRequest, lastUserText } from './request.ts';

const FollowupSchema = Type.Object({
  properties: Type.Object({ questions: Type.Unknown() }, { additionalProperties: false }),
});

/** `{"questions": [...]}` with three questions; undefined for another schema. */
export function followupQuestions(request: ChatRequest): string | undefined {
  if (!Value.Check(FollowupSchema, request.schema)) return undefined;
  return JSON.stringify({ questions: questionsAbout(topic(lastUserText(request))) });
}

/** The topic is in quotation marks because it has no article. With them, every topic results in a grammatical question. */
function questionsAbout(subject: string): string[] {
  if (subject === 'general') {
    return [
      'What would you like to know more about?',
      'Can you tell me a little more?',
      'What would help you most?',
    ];
  }
  return [
    `What else is important about "${subject}"?`,
    `Which details about "${subject}" matter most?`,
    `Where can I read more about "${subject}"?`,
  ];
}
