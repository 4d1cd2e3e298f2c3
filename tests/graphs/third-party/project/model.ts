/** A typical ChatOpenAI: its own variables have the address of the provider. */
import { ChatOpenAI } from '@langchain/openai';

export const model = new ChatOpenAI({ model: 'gpt-4o-mini', maxRetries: 0 });
