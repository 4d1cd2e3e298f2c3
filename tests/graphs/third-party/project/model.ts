/** ChatOpenAI as people use it: its own variables say where the provider is. */
import { ChatOpenAI } from '@langchain/openai';

export const model = new ChatOpenAI({ model: 'gpt-4o-mini', maxRetries: 0 });
