/** The state that the agents share in addition to the conversation. The document isn't in it: it is read from the prompt. */
import { Annotation, Conversation, type Static, Type } from 'skein';

export const Questions = Type.Object(
  {
    education_expert: Type.String({ description: 'What the staff should learn from this document' }),
    knowledge_base_agent: Type.String({ description: "What to look up in the company's documents" }),
    sql_manipulation_agent: Type.String({
      description: 'A question that one query over the tables stores, sales, reviews and stock answers',
    }),
  },
  { additionalProperties: false },
);
export type Questions = Static<typeof Questions>;

/** `questions`: the classification's question for each of the other agents. */
export const InsightsState = Annotation.Root({ ...Conversation.spec, questions: Annotation<Questions> });
export type InsightsState = typeof InsightsState.State;
