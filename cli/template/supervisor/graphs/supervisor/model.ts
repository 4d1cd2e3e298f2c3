/**
 * The chat model of all agents, and the only code here that depends on Skein: the model that `.env` or `config.yml` configures. Without
 * one, the built-in model answers, which needs no key and calls a tool if the question names it.
 *
 * You can use any other LangChain chat model instead, such as `new ChatOpenAI({ model: 'gpt-4o-mini' })` of @langchain/openai.
 * The service's retries, fallbacks and circuit breaker don't apply to it.
 */
import { chatModel } from 'skein';

export const model = chatModel();
