/** The agents that answer: one per category, each with its own prompt file. */
import type { Agent } from '../authoring/agent/agent.ts';
import type { Category, ClassificationState } from './state.ts';

/** A configured category without its own prompt file uses the general one, `responder`. */
export function respond(category: Category): Agent<ClassificationState> {
  return async (_state, { answer, prompt }) => answer(await prompt({ category }, 'responder'));
}
