/**
 * The chat model of all agents, and the only line here that knows of Skein: the model that `.env` or `config.yml` names, or
 * without one the built-in model, which needs no key and calls a tool where a question names it.
 *
 * Any other chat model of LangChain may stand here, such as `new ChatOpenAI({ model: 'gpt-4o-mini' })` of @langchain/openai.
 * The service's retries, fallbacks and circuit breaker are then left out.
 */
import { chatModel } from 'skein';

export const model = chatModel();
