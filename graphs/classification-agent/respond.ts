/** The agents that answer: one per category, each under its own prompt file. */
import type { Agent } from '../authoring/agent.ts';
import type { Category, ClassificationState } from './state.ts';

/** A category of the configuration that has no prompt file of its own answers under the general one, `responder`. */
export function respond(category: Category): Agent<ClassificationState> {
  return async (_state, { answer, prompt }) => answer(await prompt({ category }, 'responder'));
}
